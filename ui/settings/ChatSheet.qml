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
            onClicked: personaMenu.popup(personaChip, 0, personaChip.height + 4)

            PersonaMenu {
                id: personaMenu

                personas: sheet.personas
                target: sheet.chat === null ? sheet.navigation.currentChat : sheet.chat
            }
        }
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
