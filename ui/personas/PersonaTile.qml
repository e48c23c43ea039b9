pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// A persona's card: name, beginning of its instructions, and cache state. A click opens the editor.
BaseButton {
    id: tile

    required property PersonaLibrary library
    required property double personaId
    required property string name
    required property string summary
    required property string excerpt
    required property string adapterText
    required property string iconName
    required property int colorIndex
    required property bool isPinned
    required property bool isWarm
    required property string warmthText
    required property string usageText

    signal chatRequested(double personaId)

    implicitHeight: 212
    text: tile.name
    radius: Theme.cardRadius
    fill: Theme.surface
    stroke: tile.hovered ? Theme.ink3 : Theme.line
    Accessible.description: tile.summary + ". " + tile.warmthText + ", " + tile.usageText
    onClicked: tile.library.edit(tile.personaId)
    Keys.onDeletePressed: tile.library.remove(tile.personaId)

    Item {
        anchors.fill: parent

        PersonaBadge {
            id: badge

            anchors.left: parent.left
            anchors.leftMargin: 16
            y: 16
            iconName: tile.iconName
            colorIndex: tile.colorIndex
        }
        Caption {
            anchors.left: badge.right
            anchors.leftMargin: 12
            anchors.right: menuButton.left
            anchors.verticalCenter: badge.verticalCenter
            text: tile.name
            font.pixelSize: Theme.text
            font.weight: Font.DemiBold
        }
        IconButton {
            id: menuButton

            anchors.right: parent.right
            anchors.rightMargin: 10
            anchors.verticalCenter: badge.verticalCenter
            iconName: "more"
            name: qsTr("Actions for %1").arg(tile.name)
            hintText: qsTr("More")
            onClicked: menu.openBelow(menuButton)

            PersonaTileMenu {
                id: menu

                library: tile.library
                personaId: tile.personaId
                isPinned: tile.isPinned
                onChatRequested: tile.chatRequested(tile.personaId)
            }
        }
        Caption {
            id: about

            anchors.left: parent.left
            anchors.right: parent.right
            anchors.top: badge.bottom
            anchors.margins: 16
            anchors.topMargin: 10
            text: tile.summary
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            maximumLineCount: 2
            lineRatio: 1.5
        }
        SmallText {
            id: adapter

            anchors.left: parent.left
            anchors.right: parent.right
            anchors.top: about.bottom
            anchors.leftMargin: 16
            anchors.rightMargin: 16
            anchors.topMargin: text !== "" ? 4 : 0
            height: text !== "" ? implicitHeight : 0
            text: tile.adapterText
            color: Theme.ink2
            elide: Text.ElideMiddle
        }
        SmallText {
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.top: adapter.bottom
            anchors.bottom: foot.top
            anchors.leftMargin: 16
            anchors.rightMargin: 16
            anchors.topMargin: 6
            anchors.bottomMargin: 10
            text: tile.excerpt
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            lineRatio: 1.55
        }
        PersonaWarmth {
            id: foot

            anchors.left: parent.left
            anchors.right: parent.right
            anchors.bottom: parent.bottom
            anchors.margins: 16
            anchors.bottomMargin: 14
            isWarm: tile.isWarm
            isPinned: tile.isPinned
            warmthText: tile.warmthText
            usageText: tile.usageText
        }
    }
}
