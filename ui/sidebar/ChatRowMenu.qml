pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// The menu of a chat, or of all selected chats if it is one of them.
AppMenu {
    id: menu

    required property CommandList commands
    required property ChatLibrary library
    required property Navigation navigation
    required property SidebarState sidebar
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
        menu.openAtPointer();
    }

    delegate: AppMenuItem { iconName: "folder" }

    AppMenuItem {
        text: qsTr("Open in new pane")
        iconName: "split"
        onTriggered: menu.navigation.openChatBeside(menu.chatId)
    }
    AppMenuItem {
        text: qsTr("Rename")
        iconName: "edit"
        keyText: menu.commands.keyText("chat.rename")
        onTriggered: menu.sidebar.renameChat(menu.chatId)
    }
    AppMenuItem {
        text: menu.isPinned ? qsTr("Unpin") : qsTr("Pin")
        iconName: "pin"
        keyText: menu.commands.keyText("chat.pin")
        onTriggered: menu.library.setPinned(menu.chatId, !menu.isPinned)
    }
    AppMenuItem {
        text: menu.isUnread ? qsTr("Mark as read") : qsTr("Mark as unread")
        iconName: "unread"
        onTriggered: menu.library.setUnread(menu.chatId, !menu.isUnread)
    }
    AppMenu {
        id: folders

        title: qsTr("Move to folder")

        AppMenuItem {
            text: qsTr("New folder")
            iconName: "folder-plus"
            onTriggered: menu.sidebar.renameFolder(menu.library.createFolder("", menu.chatId))
        }
        AppMenuItem {
            text: qsTr("Remove from folder")
            iconName: "close"
            enabled: menu.isInFolder
            opacity: menu.isInFolder ? 1 : 0.5
            onTriggered: menu.library.moveToFolder(menu.chatId, 0)
        }
        Instantiator {
            model: menu.library.folders
            onObjectAdded: (index, item) => folders.insertItem(index, item as AppMenuItem)
            onObjectRemoved: (index, item) => folders.removeItem(item as AppMenuItem)

            AppMenuItem {
                required property string name
                required property double folderId

                text: name
                iconName: "folder"
                onTriggered: menu.library.moveToFolder(menu.chatId, folderId)
            }
        }
    }
    AppMenuItem {
        text: qsTr("Export…")
        iconName: "export"
        onTriggered: menu.exportRequested(menu.chatId)
    }
    AppMenuItem {
        text: menu.isArchived ? qsTr("Unarchive") : qsTr("Archive")
        iconName: "archive"
        keyText: menu.commands.keyText("chat.archive")
        onTriggered: menu.library.setArchived(menu.chatId, !menu.isArchived)
    }
    AppMenuItem {
        text: qsTr("Delete")
        iconName: "trash"
        keyText: qsTr("Del")
        warns: true
        onTriggered: menu.library.remove(menu.chatId)
    }
}
