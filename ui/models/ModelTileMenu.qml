import QtQuick
import Quire
import Quire.Models

/// More actions of a model.
AppMenu {
    id: menu

    required property ModelCard card
    required property ModelLibrary library

    AppMenuItem {
        iconName: "folder"
        text: qsTr("Show in file manager")
        onTriggered: menu.card.showInFileManager()
    }
    AppMenuItem {
        iconName: "copy"
        text: qsTr("Copy path")
        onTriggered: menu.card.copyPath()
    }
    AppMenuItem {
        enabled: menu.card.canBeHidden
        iconName: "trash"
        text: qsTr("Remove from list")
        onTriggered: menu.library.hide(menu.card.path)
    }
}
