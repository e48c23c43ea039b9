import QtQuick
import Quire
import Quire.Models

/// What is seldom done with a model.
QuietMenu {
    id: menu

    required property ModelCard card
    required property ModelLibrary library

    QuietMenuItem {
        iconName: "folder"
        text: qsTr("Show in the file manager")
        onTriggered: menu.card.showInFileManager()
    }
    QuietMenuItem {
        iconName: "copy"
        text: qsTr("Copy its path")
        onTriggered: menu.card.copyPath()
    }
    QuietMenuItem {
        enabled: menu.card.canBeHidden
        iconName: "trash"
        text: qsTr("Remove from this list")
        onTriggered: menu.library.hide(menu.card.path)
    }
}
