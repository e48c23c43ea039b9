import QtQuick
import Quire
import Quire.Models

/// The progress of deleting chats from the backups, and its end.
Toast {
    id: toast

    required property BackupEraser eraser

    objectName: "eraseToast"
    text: toast.eraser.progressText
}
