import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The editor of a persona. Leaving it without saving changes nothing.
SideSheet {
    id: sheet

    required property PersonaEditor editor

    title: sheet.editor.title
    iconName: sheet.editor.iconName
    iconColor: Theme.chatColor(sheet.editor.colorIndex)
    shown: sheet.editor.isOpen
    onClosed: sheet.editor.cancel()
    onOpened: nameBox.forceActiveFocus()

    FieldLabel {
        text: qsTr("Name")

        TextBox {
            id: nameBox

            objectName: "personaName"
            width: parent.width
            name: qsTr("Persona name")
            hint: qsTr("Plain teacher")
            maximumLength: 60
            text: sheet.editor.name
            onTextEdited: sheet.editor.name = text
        }
    }
    FieldLabel {
        text: qsTr("Description")
        help: qsTr("Shown on the card only; not sent to the model.")

        TextBox {
            width: parent.width
            name: qsTr("Description")
            maximumLength: 160
            text: sheet.editor.description
            onTextEdited: sheet.editor.description = text
        }
    }
    FieldLabel {
        text: qsTr("Icon and colour")

        PersonaLook { width: parent.width; editor: sheet.editor }
    }
    FieldLabel {
        text: qsTr("Instructions")
        help: sheet.editor.costText

        WritingBox {
            objectName: "personaPrompt"
            width: parent.width
            name: qsTr("Instructions (system prompt)")
            hint: qsTr("You are a patient teacher. Explain things in simple words…")
            text: sheet.editor.prompt
            onEdited: text => sheet.editor.prompt = text
        }
    }
    SettingRow {
        label: qsTr("Keep ready")
        help: qsTr("Prepared while the engine is idle, and kept in memory while there is room.")

        AppSwitch {
            name: qsTr("Keep ready")
            checked: sheet.editor.isPinned
            onClicked: sheet.editor.isPinned = !sheet.editor.isPinned
        }
    }
    PersonaAdapter { editor: sheet.editor }
    GenerationSection { editor: sheet.editor.generation }

    footer: [
        Sentence {
            Layout.fillWidth: true
            warns: true
            text: sheet.editor.warning
        },
        Row {
            Layout.alignment: Qt.AlignRight
            spacing: 8

            ActionButton { text: qsTr("Cancel"); onClicked: sheet.editor.cancel() }
            ActionButton {
                objectName: "sheetSave"
                primary: true
                enabled: sheet.editor.canSave
                text: qsTr("Save")
                onClicked: sheet.editor.save()
            }
        }
    ]
}
