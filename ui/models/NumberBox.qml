import QtQuick
import Quire

/// A field for a whole number, empty for the default. `numberSet` is emitted when the text is committed.
TextBox {
    id: box

    required property int number

    signal numberSet(int number)

    implicitWidth: 110
    text: box.number > 0 ? box.number.toString() : ""
    hint: qsTr("automatic")
    maximumLength: 8
    validator: RegularExpressionValidator { regularExpression: /[0-9]*/ }
    onCommitted: text => box.numberSet(text === "" ? 0 : parseInt(text))
}
