import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// Starts a chat; marked as current while the new chat is empty.
AbstractButton {
    id: button

    required property Navigation navigation

    implicitHeight: 36
    hoverEnabled: true
    text: qsTr("New chat")
    Accessible.name: button.text
    Accessible.role: Accessible.Button
    onClicked: button.navigation.newChat()

    contentItem: Item {
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            x: 10
            iconName: "plus"
            width: 16
            height: 16
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
    background: Rectangle {
        radius: Theme.rowRadius
        color: Theme.surface
        border.color: button.navigation.isNewChat ? Theme.accent : button.hovered ? Theme.ink3 : Theme.line

        FocusFrame { shown: button.visualFocus; radius: Theme.rowRadius + 2 }
    }
}
