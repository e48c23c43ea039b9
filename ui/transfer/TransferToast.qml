import QtQuick
import Quire
import Quire.Models

/// The progress of an export, an import or a backup, and what came of it, over the chats. An error is a Notice, which
/// stays until it is dismissed.
Item {
    id: toast

    required property DataTransfer transfer
    readonly property bool isBusy: toast.transfer.isBusy
    readonly property bool hasFailed: toast.transfer.hasFailed && !toast.isBusy

    objectName: "transferToast"
    width: toast.hasFailed ? error.width : news.width
    height: toast.hasFailed ? error.height : news.height

    Toast {
        id: news

        text: toast.isBusy ? toast.transfer.doing : toast.transfer.hasFailed ? "" : toast.transfer.result
        progress: toast.isBusy ? toast.transfer.progress : -1
        action: toast.isBusy ? qsTr("Cancel") : ""
        dismissable: !toast.isBusy
        onActed: toast.transfer.cancel()
        onDismissed: toast.transfer.dismissResult()
    }
    Notice {
        id: error

        width: 440
        text: toast.hasFailed ? toast.transfer.result : ""
        onDismissed: toast.transfer.dismissResult()
    }
}
