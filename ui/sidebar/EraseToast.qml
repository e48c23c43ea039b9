import QtQuick
import Quire
import Quire.Models

/// The progress of deleting chats from the backups, and its end.
CardFrame {
    id: toast

    required property BackupEraser eraser

    objectName: "eraseToast"
    visible: label.text !== ""
    width: label.implicitWidth + 32
    height: 44
    Accessible.role: Accessible.AlertMessage
    Accessible.name: label.text

    Caption {
        id: label

        anchors.centerIn: parent
        text: toast.eraser.progressText
    }
}
