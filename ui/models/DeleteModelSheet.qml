import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Asks before a model is deleted: what is freed, where it is, and which chats use it.
SideSheet {
    id: sheet

    required property ModelRemoval removal

    title: sheet.removal.title
    iconName: "trash"
    shown: sheet.removal.isOpen
    onClosed: sheet.removal.close()

    Sentence { width: parent.width; text: sheet.removal.problem; warns: true }
    FieldLabel {
        text: sheet.removal.sizeText
        help: sheet.removal.placeText

        Column {
            width: parent.width
            spacing: 4

            Repeater {
                model: sheet.removal.files

                SmallText {
                    required property string modelData

                    width: parent.width
                    text: modelData
                    font.family: Theme.mono
                    wrapMode: Text.WrapAnywhere
                }
            }
        }
    }
    Sentence { width: parent.width; text: sheet.removal.ownerText; warns: true }
    Sentence { width: parent.width; text: sheet.removal.chatsText }
    Sentence { width: parent.width; text: sheet.removal.loadedText; warns: true }
    footer: Flow {
        Layout.fillWidth: true
        layoutDirection: Qt.RightToLeft
        spacing: 8

        ActionButton {
            objectName: "trashModel"
            primary: true
            enabled: sheet.removal.canDelete
            text: sheet.removal.isDeleting ? qsTr("Deleting…") : qsTr("Move to trash")
            onClicked: sheet.removal.moveToTrash()
        }
        ActionButton {
            objectName: "deleteModelForGood"
            enabled: sheet.removal.canDelete
            text: qsTr("Delete for good")
            hintText: qsTr("Frees the space at once. The files cannot be restored.")
            onClicked: sheet.removal.deleteForGood()
        }
        ActionButton {
            objectName: "keepModel"
            text: qsTr("Cancel")
            onClicked: sheet.close()
        }
    }
}
