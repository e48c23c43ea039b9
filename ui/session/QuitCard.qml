import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// Asks before quitting with unsaved changes.
AskCard {
    id: card

    required property QuitGuard guard

    objectName: "quitCard"
    title: card.guard.title
    words: card.guard.words
    shown: card.guard.isAsking
    closePolicy: Popup.CloseOnEscape
    onClosed: card.guard.keepTrying()

    ActionButton {
        objectName: "keepTrying"
        primary: true
        focus: true
        text: qsTr("Keep trying")
        onClicked: card.guard.keepTrying()
    }
    ActionButton {
        objectName: "quitAnyway"
        text: card.guard.loseText
        onClicked: card.guard.quitAnyway()
    }
}
