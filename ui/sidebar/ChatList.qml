pragma ComponentBehavior: Bound
import QtQuick
import Qt.labs.qmlmodels
import Quire
import Quire.Models

/// The chats in their sections and folders. Up and Down open the neighbours, with Shift they select; F2 renames,
/// Delete deletes. A chat can be dragged onto a folder.
ScrollList {
    id: list

    required property AppModel app
    property bool rowPressed: false
    /// Until the user scrolls, the current chat stays visible when the list is resized.
    property bool untouched: true

    /// Scrolls to the top, or further to the current chat if it is not visible there.
    function showCurrent(): void {
        list.positionViewAtBeginning();
        list.positionViewAtIndex(list.currentIndex, ListView.Contain);
    }

    /// Returns the focus to the composer after a rename, unless another item has taken it.
    function restoreFocus(): void {
        !list.app.sidebar.isRenaming && list.focus && list.app.panes.composerWanted();
    }

    objectName: "chatList"
    model: list.app.chats
    // Not before the list has a height: without one it would scroll the current row to its top.
    currentIndex: list.height > 0 ? list.app.chats.currentRow : -1
    highlightFollowsCurrentItem: true
    highlightMoveDuration: 0
    interactive: !list.rowPressed
    reuseItems: true
    activeFocusOnTab: true
    keyNavigationEnabled: false
    section.property: "section"
    onMovementStarted: list.untouched = false
    onHeightChanged: list.untouched && list.showCurrent()
    Accessible.name: qsTr("Chats")
    // Escape clears the selection before it closes a page.
    Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape && list.app.chats.hasSelection
    Keys.onPressed: event => event.accepted = list.app.navigation.pressInList(event.key, event.modifiers)
    Keys.onMenuPressed: (list.currentItem as ChatRow)?.openMenu()

    delegate: DelegateChooser {
        role: "kind"

        DelegateChoice {
            roleValue: ChatListModel.Chat
            ChatRow {
                width: list.width
                library: list.app.library
                navigation: list.app.navigation
                sidebar: list.app.sidebar
                menu: rowMenu
                ghost: dragged
                onMousePressedChanged: list.rowPressed = mousePressed
            }
        }
        DelegateChoice {
            roleValue: ChatListModel.Folder
            FolderRow {
                width: list.width
                library: list.app.library
                sidebar: list.app.sidebar
            }
        }
        DelegateChoice {
            roleValue: ChatListModel.Archive
            ArchiveEntry {
                width: list.width
                library: list.app.library
            }
        }
    }
    Connections {
        target: list.app.sidebar

        function onRenamingChanged(): void {
            after.restart();
        }
    }
    Timer {
        id: after  // Deferred until the rename field is destroyed.

        interval: 0
        onTriggered: list.restoreFocus()
    }
    ChatRowMenu {
        id: rowMenu

        commands: list.app.commands
        library: list.app.library
        navigation: list.app.navigation
        sidebar: list.app.sidebar
        onExportRequested: chatId => list.app.transfer.askExport(chatId)
    }
    DraggedChat {
        id: dragged

        parent: list.Window.contentItem
    }
    FocusFrame {
        shown: list.activeFocus && !list.app.sidebar.isRenamingChat
        anchors.margins: 0
        radius: Theme.rowRadius
        border.width: 1
    }
}
