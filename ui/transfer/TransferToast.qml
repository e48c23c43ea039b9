import QtQuick
import Quire
import Quire.Models

/// How an export, import or backup goes, over the chats: where it was not begun in the settings.
Rectangle {
    id: toast

    required property DataTransfer transfer

    objectName: "transferToast"
    width: 440
    height: state.height + 32
    radius: Theme.cardRadius
    color: Theme.surface
    border.color: Theme.line

    TransferState {
        id: state

        x: 16
        y: 16
        width: parent.width - 64
        transfer: toast.transfer
    }
    IconButton {
        visible: !toast.transfer.isBusy
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.margins: 8
        iconName: "close"
        name: qsTr("Put away")
        onClicked: toast.transfer.dismissResult()
    }
}
