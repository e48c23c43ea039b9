pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// What can be done with a chat of the sidebar, or with all that are selected if it is one of them.
QuietMenu {
    id: menu

    required property AppModel app
    property double chatId: 0
    property bool isPinned: false
    property bool isArchived: false
    property bool isUnread: false
    property bool isInFolder: false

    signal exportRequested(double chatId)

    function openFor(chatId: double, isPinned: bool, isArchived: bool, isUnread: bool, folderId: double): void {
        menu.chatId = chatId;
        menu.isPinned = isPinned;
        menu.isArchived = isArchived;
        menu.isUnread = isUnread;
        menu.isInFolder = folderId !== 0;
        menu.popup();
    }

    delegate: QuietMenuItem { iconName: "folder" }

    QuietMenuItem {
        text: qsTr("Open in a new pane")
        iconName: "split"
        onTriggered: menu.app.openChatBeside(menu.chatId)
    }
    QuietMenuItem {
        text: qsTr("Rename")
        iconName: "edit"
        keyText: menu.app.commands.keyText("chat.rename")
        onTriggered: menu.app.sidebar.renameChat(menu.chatId)
    }
    QuietMenuItem {
        text: menu.isPinned ? qsTr("Unpin") : qsTr("Pin")
        iconName: "pin"
        keyText: menu.app.commands.keyText("chat.pin")
        onTriggered: menu.app.library.setPinned(menu.chatId, !menu.isPinned)
    }
    QuietMenuItem {
        text: menu.isUnread ? qsTr("Mark as read") : qsTr("Mark as unread")
        iconName: "unread"
        onTriggered: menu.app.library.setUnread(menu.chatId, !menu.isUnread)
    }
    QuietMenu {
        id: folders

        title: qsTr("Move to folder")

        QuietMenuItem {
            text: qsTr("New folder")
            iconName: "folder-plus"
            onTriggered: menu.app.sidebar.renameFolder(menu.app.library.createFolder("", menu.chatId))
        }
        QuietMenuItem {
            text: qsTr("Out of the folder")
            iconName: "close"
            enabled: menu.isInFolder
            opacity: menu.isInFolder ? 1 : 0.5
            onTriggered: menu.app.library.moveToFolder(menu.chatId, 0)
        }
        Instantiator {
            model: menu.app.library.folders
            onObjectAdded: (index, item) => folders.insertItem(index, item as QuietMenuItem)
            onObjectRemoved: (index, item) => folders.removeItem(item as QuietMenuItem)

            QuietMenuItem {
                required property string name
                required property double folderId

                text: name
                iconName: "folder"
                onTriggered: menu.app.library.moveToFolder(menu.chatId, folderId)
            }
        }
    }
    QuietMenuItem {
        text: qsTr("Export…")
        iconName: "export"
        onTriggered: menu.exportRequested(menu.chatId)
    }
    QuietMenuItem {
        text: menu.isArchived ? qsTr("Bring back") : qsTr("Archive")
        iconName: "archive"
        keyText: menu.app.commands.keyText("chat.archive")
        onTriggered: menu.app.library.setArchived(menu.chatId, !menu.isArchived)
    }
    QuietMenuItem {
        text: qsTr("Delete")
        iconName: "trash"
        keyText: qsTr("Del")
        warns: true
        onTriggered: menu.app.library.remove(menu.chatId)
    }
}
