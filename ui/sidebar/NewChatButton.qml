import QtQuick
import Quire
import Quire.Models

/// Starts a chat; marked as current while the new chat is empty.
BaseButton {
    id: button

    required property Navigation navigation

    implicitHeight: 36
    text: qsTr("New chat")
    fill: Theme.surface
    stroke: button.navigation.isNewChat ? Theme.accent : button.hovered ? Theme.ink3 : Theme.line
    onClicked: button.navigation.newChat()

    contentItem: Item {
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            x: 10
            iconName: "plus"
            size: 16
            color: Theme.ink
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            x: 34
            text: button.text
            font.weight: Font.Medium
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            anchors.rightMargin: 12
            text: qsTr("Ctrl N")
            color: Theme.ink2
            font.pixelSize: Theme.tiny
        }
    }
}
