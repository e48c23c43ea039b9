import QtQuick
import Quire

/// A field for a stored value, with its unit. What is typed stays until it is committed; an invalid text stays until it
/// is corrected or reset.
TextBox {
    id: box

    required property string stored
    property string unit: ""
    property string problem: ""
    readonly property real endPadding: box.unit === "" ? 10 : unitText.width + 16

    width: 120
    leftPadding: Theme.mirrored ? box.endPadding : 10
    rightPadding: Theme.mirrored ? 10 : box.endPadding
    horizontalAlignment: TextInput.AlignRight
    warns: box.problem !== ""
    Accessible.description: box.problem

    Binding on text {
        when: !box.activeFocus && !box.warns
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
