import QtQuick
import Quire
import Quire.Models

/// Asks whether to delete chats from the backups too, and says what that does. Suggests not to.
AskCard {
    id: card

    required property BackupEraser eraser

    objectName: "eraseCard"
    title: card.eraser.title
    words: qsTr("Every backup is rewritten without these messages, and their entries in the KV cache on disk are removed. This cannot be undone. Exported files and damaged files that were set aside are not changed.")
    shown: card.eraser.isAsking
    onAboutToShow: cancel.forceActiveFocus()
    onClosed: card.eraser.dismiss()

    ActionButton {
        objectName: "eraseEverywhere"
        text: qsTr("Delete everywhere")
        onClicked: card.eraser.erase()
    }
    ActionButton {
        id: cancel

        primary: true
        focus: true
        text: qsTr("Cancel")
        onClicked: card.eraser.dismiss()
    }
}
