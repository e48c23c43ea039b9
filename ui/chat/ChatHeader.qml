import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Above the messages: which chat this is, who answers, how full the context is.
Item {
    id: header

    required property ChatModel chat
    required property PersonaListModel personas

    implicitHeight: 52

    RowLayout {
        anchors.fill: parent
        spacing: 10

        Rectangle {
            Layout.preferredWidth: 8
            Layout.preferredHeight: 8
            radius: 3
            color: Theme.chatColor(header.chat.colorIndex)
        }
        Caption {
            Layout.maximumWidth: header.width - personaChip.width - meter.width - 60
            text: header.chat.title
            font.pixelSize: Theme.text
            lineHeightMode: Text.FixedHeight
            lineHeight: 20
            font.weight: Font.DemiBold
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Chip {
            id: personaChip

            opensMenu: true
            text: header.chat.personaName
            hintText: header.chat.personaHint
            onClicked: personaMenu.popup(personaChip, 0, personaChip.height + 4)

            PersonaMenu {
                id: personaMenu

                personas: header.personas
                target: header.chat
            }
        }
        Item { Layout.fillWidth: true }
        ContextMeter {
            id: meter

            chat: header.chat
        }
    }
}
