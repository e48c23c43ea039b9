import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The header of a chat: title, persona, model, and context usage. The title takes the free space; where there is
/// none left the figures of the context yield first, then the persona's name.
Item {
    id: header

    required property ChatModel chat
    required property PersonaListModel personas
    property bool closable: false
    readonly property bool narrow: header.width < 420
    /// What is left for title, persona and context beside everything else.
    readonly property real room: header.width - fixed.width - 8 - 4 * line.spacing
        - (ownModel.visible ? ownModel.implicitWidth + line.spacing : 0)
        - (activity.visible ? activity.implicitWidth + line.spacing : 0)
    readonly property real afterTitle: header.room - title.implicitWidth
    /// The persona's chip with its whole name.
    readonly property real personaWidth: persona.fullTextWidth + 42
    readonly property bool compactContext: header.afterTitle < Math.min(header.personaWidth, 240) + context.fullWidth
    /// Where there is no room, "No persona" is an icon.
    readonly property bool foldsPersona: !header.chat.hasPersona && header.afterTitle < header.personaWidth + context.implicitWidth

    signal closeRequested()
    signal settingsRequested()

    implicitHeight: 52

    RowLayout {
        id: line

        anchors.fill: parent
        spacing: 10

        Dot {
            color: Theme.chatColor(header.chat.colorIndex)
        }
        Heading {
            id: title

            Layout.fillWidth: true
            Layout.minimumWidth: Math.min(implicitWidth, 96)
            objectName: "userWords"
            text: header.chat.title
            font.pixelSize: Theme.text
            lineHeightMode: Text.FixedHeight
            lineHeight: Math.round(20 * Theme.textScale)
        }
        Chip {
            id: persona

            objectName: "personaChip"
            opensMenu: true
            iconName: header.foldsPersona ? "persona" : ""
            maximumTextWidth: header.foldsPersona ? 0 : Math.max(56, Math.min(200, header.afterTitle - context.implicitWidth - persona.chrome))
            text: header.chat.personaName
            hintText: header.chat.personaHint
            onClicked: personaMenu.openBelow(persona)

            PersonaMenu {
                id: personaMenu

                personas: header.personas
                target: header.chat
            }
        }
        Chip {
            id: ownModel

            objectName: "ownModelChip"
            visible: header.chat.hasOwnModel && (header.chat.isRemote || !header.narrow)
            active: header.chat.isRemote
            iconName: header.chat.isRemote ? "remote" : ""
            maximumTextWidth: header.narrow ? 80 : header.chat.isRemote ? 260 : 140
            text: header.chat.ownModelName
            hintText: header.chat.ownModelHint
        }
        SmallText {
            id: activity

            objectName: "paneActivity"
            visible: text !== "" && !header.narrow
            text: header.chat.activityText
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        ContextMeter {
            id: context

            objectName: "contextMeter"
            chat: header.chat
            compact: header.compactContext
            hasRoom: !header.narrow || header.afterTitle > 140
        }
        Row {
            id: fixed

            Layout.rightMargin: -6

            IconButton {
                objectName: "chatSettings"
                iconName: "settings"
                focusPolicy: Qt.TabFocus
                name: qsTr("Chat settings")
                onClicked: header.settingsRequested()
            }
            IconButton {
                objectName: "closePane"
                visible: header.closable
                iconName: "close"
                focusPolicy: Qt.TabFocus
                name: qsTr("Close pane (Ctrl+W); the chat is kept")
                onClicked: header.closeRequested()
            }
        }
    }
}
