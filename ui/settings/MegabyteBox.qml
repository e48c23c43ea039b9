import QtQuick
import Quire

/// A number of megabytes.
TextBox {
    id: box

    required property string stored

    width: 120
    rightPadding: 38
    horizontalAlignment: TextInput.AlignRight

    Binding on text {
        when: !box.activeFocus
        restoreMode: Binding.RestoreNone
        value: box.stored
    }
    Caption {
        anchors.right: parent.right
        anchors.rightMargin: 10
        anchors.verticalCenter: parent.verticalCenter
        text: qsTr("MB")
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
}
