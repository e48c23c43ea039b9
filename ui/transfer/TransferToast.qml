import QtQuick
import Quire
import Quire.Models

/// The progress of an export, an import or a backup, and what came of it, over the chats. An error is a Notice, which
/// stays until it is dismissed.
Item {
    id: toast

    required property DataTransfer transfer
    readonly property Item shown: error.text !== "" ? error : news

    objectName: "transferToast"
    width: toast.shown.width
    height: toast.shown.height

    Toast {
        id: news

        text: toast.transfer.newsText
        progress: toast.transfer.isBusy ? toast.transfer.progress : -1
        action: toast.transfer.isBusy ? qsTr("Cancel") : ""
        dismissable: !toast.transfer.isBusy
        onActed: toast.transfer.cancel()
        onDismissed: toast.transfer.dismissResult()
    }
    Notice {
        id: error

        width: 440
        text: toast.transfer.errorText
        onDismissed: toast.transfer.dismissResult()
    }
}
