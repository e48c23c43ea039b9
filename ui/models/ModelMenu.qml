pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// Chooses the model: loaded ones, recent ones, and a link to all.
AppMenu {
    id: menu

    required property ModelLibrary library
    required property ChatModel chat

    signal allWanted()

    implicitWidth: 320

    Instantiator {
        model: menu.library.recent
        delegate: AppMenuItem {
            required property ModelCard card

            text: card.name
            dotColor: card.isServing ? Theme.accent : Theme.line
            keyText: card.badge
            checked: card.isPrimary
            onTriggered: menu.library.use(card.path)
        }
        onObjectAdded: (index, object) => menu.insertItem(index, object)
        onObjectRemoved: (index, object) => menu.removeItem(object)
    }
    AppMenuItem {
        objectName: "ownModel"
        visible: menu.chat !== null && menu.library.primaryPath !== ""
        height: visible ? implicitHeight : 0
        text: qsTr("Always use this model in this chat")
        checked: menu.chat !== null && menu.chat.hasOwnModel
        onTriggered: menu.chat.setOwnModel(menu.chat.hasOwnModel ? "" : menu.library.primaryPath)
    }
    AppMenuItem {
        iconName: "model"
        text: qsTr("All models…")
        onTriggered: menu.allWanted()
    }
}
