import QtQuick
import Quire
import Quire.Models

/// The settings of a chat: persona, model, and sampling.
SideSheet {
    id: sheet

    required property ChatSettings settings
    required property Navigation navigation
    required property PersonaListModel personas
    readonly property ChatModel chat: sheet.settings.chat

    title: qsTr("Chat settings: %1").arg(sheet.settings.title)
    iconName: "settings"
    shown: sheet.settings.isOpen
    onClosed: sheet.settings.close()

    SettingRow {
        label: qsTr("Persona")
        help: qsTr("Changing it re-reads the chat once.")

        Chip {
            id: personaChip

            opensMenu: true
            text: sheet.chat === null ? "" : sheet.chat.personaName
            onClicked: personaMenu.openBelow(personaChip)

            PersonaMenu {
                id: personaMenu

                personas: sheet.personas
                target: sheet.chat === null ? sheet.navigation.currentChat : sheet.chat
            }
        }
    }
    SettingRow {
        visible: sheet.settings.usesOwnPrompt
        label: qsTr("System prompt")
        help: qsTr("For this chat only, while it has no persona. Changing it re-reads the chat once.")
    }
    WritingBox {
        objectName: "ownPrompt"
        visible: sheet.settings.usesOwnPrompt
        width: parent.width
        implicitHeight: 140
        name: qsTr("System prompt of this chat")
        hint: qsTr("You are…")
        text: sheet.settings.ownPrompt
        onEdited: text => sheet.settings.ownPrompt = text
    }
    SettingRow {
        label: qsTr("Model")
        help: qsTr("The model that answers in this chat.")

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            text: sheet.settings.modelText
        }
    }
    SettingRow {
        label: qsTr("Context used")
        help: qsTr("Tokens in this chat, out of the model's context.")

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            text: sheet.chat === null ? "" : sheet.chat.composer.contextText
        }
    }
    Line { width: parent.width }
    GenerationSection {
        heading: qsTr("Sampling in this chat")
        editor: sheet.settings.generation
    }
}
