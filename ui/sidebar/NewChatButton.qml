import QtQuick
import Quire
import Quire.Models

/// Starts a chat; is marked like the rows of the list while the new chat, which has no row yet, is shown.
NavButton {
    id: button

    required property Navigation navigation

    objectName: "newChat"
    text: qsTr("New chat")
    detail: qsTr("Ctrl N")
    iconName: "plus"
    ink: Theme.ink
    checked: button.navigation.showsNewChat
    fill: button.checked ? Theme.selected : Theme.surface
    stroke: button.hovered ? Theme.ink3 : Theme.line
    font.weight: Font.Medium
    Accessible.role: Accessible.Button
    onClicked: button.navigation.newChat()
}
