import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A field for a whole number, empty for the default. `committed` is emitted on Return or when it loses the focus.
TextField {
    id: box

    required property string name
    required property int number

    signal committed(int number)

    implicitWidth: 110
    implicitHeight: 34
    leftPadding: 10
    verticalAlignment: TextInput.AlignVCenter
    text: box.number > 0 ? box.number.toString() : ""
    placeholderText: qsTr("automatic")
    placeholderTextColor: Theme.ink2
    color: Theme.ink
    selectionColor: Theme.selection
    selectedTextColor: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.label
    maximumLength: 8
    validator: RegularExpressionValidator { regularExpression: /[0-9]*/ }
    Accessible.name: box.name
    onEditingFinished: box.committed(box.text === "" ? 0 : parseInt(box.text))

    background: Rectangle {
        radius: Theme.rowRadius
        color: Theme.surface
        border.width: box.activeFocus ? 2 : 1
        border.color: box.activeFocus ? Theme.accent : Theme.line
    }
}
