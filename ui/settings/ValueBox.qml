import QtQuick
import Quire

/// A field for a stored value, with its unit. What is typed stays until it is committed.
TextBox {
    id: box

    required property string stored
    property string unit: ""

    width: 120
    rightPadding: box.unit === "" ? 10 : unitText.width + 16
    horizontalAlignment: TextInput.AlignRight

    Binding on text {
        when: !box.activeFocus
        restoreMode: Binding.RestoreNone
        value: box.stored
    }
    SmallText {
        id: unitText

        anchors.right: parent.right
        anchors.rightMargin: 10
        anchors.verticalCenter: parent.verticalCenter
        text: box.unit
        Accessible.ignored: true
    }
}
