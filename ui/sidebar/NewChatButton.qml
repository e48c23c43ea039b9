import QtQuick
import Quire
import Quire.Models

/// Starts a chat; has an accent frame while the new chat is empty.
NavButton {
    id: button

    required property Navigation navigation

    text: qsTr("New chat")
    detail: qsTr("Ctrl N")
    iconName: "plus"
    ink: Theme.ink
    fill: Theme.surface
    stroke: button.navigation.isNewChat && button.navigation.page === Navigation.Chats ? Theme.accent : button.hovered ? Theme.ink3 : Theme.line
    font.weight: Font.Medium
    Accessible.role: Accessible.Button
    onClicked: button.navigation.newChat()
}
