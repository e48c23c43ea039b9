import QtQuick
import Quire
import Quire.Models

/// What can be done with a persona.
QuietMenu {
    id: menu

    required property PersonaLibrary library
    required property double personaId
    required property bool isPinned

    signal chatRequested()

    QuietMenuItem { text: qsTr("New chat with it"); iconName: "plus"; onTriggered: menu.chatRequested() }
    QuietMenuItem { text: qsTr("Edit"); iconName: "edit"; onTriggered: menu.library.edit(menu.personaId) }
    QuietMenuItem { text: qsTr("Duplicate"); iconName: "duplicate"; onTriggered: menu.library.duplicate(menu.personaId) }
    QuietMenuItem {
        text: qsTr("Keep warm")
        iconName: "flame"
        checked: menu.isPinned
        onTriggered: menu.library.setPinned(menu.personaId, !menu.isPinned)
    }
    QuietMenuItem { text: qsTr("Move forward"); iconName: "left"; onTriggered: menu.library.move(menu.personaId, -1) }
    QuietMenuItem { text: qsTr("Move back"); iconName: "right"; onTriggered: menu.library.move(menu.personaId, 1) }
    QuietMenuItem {
        text: qsTr("Delete")
        iconName: "trash"
        keyText: qsTr("Del")
        warns: true
        onTriggered: menu.library.remove(menu.personaId)
    }
}
