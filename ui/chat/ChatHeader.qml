import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The header of a chat: title, persona, model, and context usage.
Item {
    id: header

    required property ChatModel chat
    required property PersonaListModel personas
    property bool closable: false
    readonly property bool narrow: header.width < 420

    signal closeRequested()
    signal settingsRequested()

    implicitHeight: 52

    RowLayout {
        anchors.fill: parent
        spacing: 10

        Dot {
            color: Theme.chatColor(header.chat.colorIndex)
        }
        Heading {
            Layout.fillWidth: true
            Layout.minimumWidth: Math.min(implicitWidth, 64)
            Layout.maximumWidth: implicitWidth + 1
            objectName: "userWords"
            text: header.chat.title
            font.pixelSize: Theme.text
            lineHeightMode: Text.FixedHeight
            lineHeight: Math.round(20 * Theme.textScale)
        }
        Chip {
            id: personaChip

            opensMenu: true
            maximumTextWidth: header.narrow ? 80 : 200
            text: header.chat.personaName
            hintText: header.chat.personaHint
            onClicked: personaMenu.popup(personaChip, 0, personaChip.height + 4)

            PersonaMenu {
                id: personaMenu

                personas: header.personas
                target: header.chat
            }
        }
        Chip {
            objectName: "ownModelChip"
            visible: header.chat.hasOwnModel && (header.chat.isRemote || !header.narrow)
            active: header.chat.isRemote
            iconName: header.chat.isRemote ? "remote" : ""
            maximumTextWidth: header.narrow ? 80 : header.chat.isRemote ? 260 : 140
            text: header.chat.ownModelName
            hintText: header.chat.ownModelHint
        }
        SmallText {
            objectName: "paneActivity"
            visible: text !== "" && !header.narrow
            text: header.chat.activityText
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        Item { Layout.fillWidth: true }
        ContextMeter {
            chat: header.chat
            compact: header.narrow || header.width < 600 && header.chat.activityText !== ""
        }
        IconButton {
            objectName: "chatSettings"
            Layout.rightMargin: -6
            iconName: "settings"
            focusPolicy: Qt.TabFocus
            name: qsTr("Chat settings")
            onClicked: header.settingsRequested()
        }
        IconButton {
            objectName: "closePane"
            visible: header.closable
            Layout.rightMargin: -6
            iconName: "close"
            focusPolicy: Qt.TabFocus
            name: qsTr("Close pane (Ctrl+W); the chat is kept")
            onClicked: header.closeRequested()
        }
    }
}
