import QtQuick
import Quire
import Quire.Models

/// Asks for the name that Quire shows for a model.
AskCard {
    id: card

    required property ModelFileActions files

    title: qsTr("Rename model")
    words: qsTr("Only the name that Quire shows changes. The file stays %1, so that chats and other applications find it.").arg(card.files.renamedFile)
    shown: card.files.isRenaming
    onClosed: card.files.closeRenaming()
    onAboutToShow: box.text = card.files.renamedName
    onOpened: box.selectAll()

    TextBox {
        id: box

        objectName: "modelName"
        width: parent.width
        focus: true
        name: qsTr("New model name")
        maximumLength: 120
        onAccepted: card.files.rename(box.text)
    }
    ActionButton {
        objectName: "renameModelNow"
        primary: true
        text: qsTr("Rename")
        onClicked: card.files.rename(box.text)
    }
    ActionButton {
        visible: card.files.isRenamed
        text: qsTr("Original name")
        onClicked: card.files.rename("")
    }
    ActionButton {
        text: qsTr("Cancel")
        onClicked: card.files.closeRenaming()
    }
}
