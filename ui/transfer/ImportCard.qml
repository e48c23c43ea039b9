import QtQuick
import Quire
import Quire.Models

/// Asks whether to import the chats of a dropped file.
AskCard {
    id: card

    required property ImportOffer offer

    title: card.offer.title
    words: qsTr("Adds chats you don't have. Nothing is overwritten.")
    shown: card.offer.isOpen
    onClosed: card.offer.dismiss()

    ActionButton {
        objectName: "importNow"
        primary: true
        focus: true
        text: qsTr("Import")
        onClicked: card.offer.importNow()
    }
    ActionButton {
        objectName: "attachInstead"
        visible: card.offer.mayAttach
        text: qsTr("Add to the message")
        onClicked: card.offer.attach()
    }
    ActionButton {
        text: qsTr("Cancel")
        onClicked: card.offer.dismiss()
    }
}
