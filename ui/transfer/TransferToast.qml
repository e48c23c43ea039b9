import QtQuick
import Quire
import Quire.Models

/// The progress of an export, an import or a backup, shown over the chats.
Rectangle {
    id: toast

    required property DataTransfer transfer
    /// An error is shown as a Notice, which has its own frame and Dismiss button.
    readonly property bool framed: !toast.transfer.hasFailed
    readonly property int inset: toast.framed ? 16 : 0

    objectName: "transferToast"
    width: 440
    height: state.height + 2 * toast.inset
    radius: Theme.cardRadius
    color: toast.framed ? Theme.surface : "transparent"
    border.width: toast.framed ? 1 : 0
    border.color: Theme.line

    TransferState {
        id: state

        x: toast.inset
        y: toast.inset
        width: parent.width - 4 * toast.inset
        transfer: toast.transfer
    }
    IconButton {
        visible: toast.framed && !toast.transfer.isBusy
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.margins: 8
        iconName: "close"
        name: qsTr("Dismiss")
        onClicked: toast.transfer.dismissResult()
    }
}
