import QtQuick
import Quire
import Quire.Models

/// The menu of a persona.
AppMenu {
    id: menu

    required property PersonaLibrary library
    required property double personaId
    required property bool isPinned

    signal chatRequested()

    AppMenuItem { text: qsTr("Start chat"); iconName: "plus"; onTriggered: menu.chatRequested() }
    AppMenuItem { text: qsTr("Edit"); iconName: "edit"; onTriggered: menu.library.edit(menu.personaId) }
    AppMenuItem { text: qsTr("Duplicate"); iconName: "duplicate"; onTriggered: menu.library.duplicate(menu.personaId) }
    AppMenuItem {
        text: qsTr("Keep ready")
        iconName: "flame"
        checked: menu.isPinned
        onTriggered: menu.library.setPinned(menu.personaId, !menu.isPinned)
    }
    AppMenuItem { text: qsTr("Move forward"); iconName: "left"; onTriggered: menu.library.move(menu.personaId, -1) }
    AppMenuItem { text: qsTr("Move back"); iconName: "right"; onTriggered: menu.library.move(menu.personaId, 1) }
    AppMenuItem {
        text: qsTr("Delete")
        iconName: "trash"
        keyText: qsTr("Del")
        warns: true
        onTriggered: menu.library.remove(menu.personaId)
    }
}
