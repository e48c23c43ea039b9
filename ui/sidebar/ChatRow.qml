pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A chat in the sidebar: colour, name (renamed in place), and state.
ItemDelegate {
    id: row

    required property ChatLibrary library
    required property Navigation navigation
    required property SidebarState sidebar
    required property ChatRowMenu menu
    required property DraggedChat ghost
    required property double chatId
    required property double folderId
    required property string title
    required property int colorIndex
    required property string timeText
    required property bool isGenerating
    required property bool isUnread
    required property bool isCurrent
    required property bool isSelected
    required property bool isPinned
    required property bool isArchived
    required property bool isFork
    readonly property bool mousePressed: row.pressed && row.hovered || drag.active

    function openMenu(): void {
        row.menu.openFor(row.chatId, row.isPinned, row.isArchived, row.isUnread, row.folderId);
    }

    objectName: row.isCurrent ? "currentChatRow" : ""
    height: 40
    leftPadding: 8
    rightPadding: 8
    topPadding: 0
    bottomPadding: 0
    topInset: 2
    bottomInset: 2
    hoverEnabled: true
    highlighted: row.isCurrent
    focusPolicy: Qt.NoFocus
    opacity: row.isArchived && !row.isCurrent ? 0.75 : 1
    Accessible.name: row.isGenerating ? qsTr("%1, answering").arg(row.title)
        : row.isUnread ? qsTr("%1, new answer").arg(row.title) : row.title
    Accessible.selected: row.isSelected
    onClicked: row.navigation.clickChat(row.chatId)
    onDoubleClicked: row.sidebar.renameChat(row.chatId)

    contentItem: ChatRowContent {
        title: row.title
        dotColor: Theme.chatColor(row.colorIndex)
        timeText: row.timeText
        isGenerating: row.isGenerating
        isUnread: row.isUnread
        isFork: row.isFork
        renaming: row.sidebar.renamedChat === row.chatId
        moreShown: row.hovered && !drag.active || row.menu.opened && row.menu.chatId === row.chatId
        onRenamed: title => row.library.rename(row.chatId, title)
        onRenameEnded: row.sidebar.endRename(row.chatId)
        onMoreRequested: row.openMenu()
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: row.isSelected ? Theme.selection : row.isCurrent ? Theme.surface : row.hovered ? Theme.hover : "transparent"
        border.width: row.isCurrent ? 1 : 0
        border.color: Theme.line
    }

    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: row.openMenu()
    }
    TapHandler {
        acceptedButtons: Qt.MiddleButton
        onTapped: row.navigation.openChatBeside(row.chatId)
    }
    DragHandler {
        id: drag

        target: null
        acceptedDevices: PointerDevice.Mouse
        enabled: row.sidebar.renamedChat !== row.chatId
        onActiveChanged: active ? row.beginDrag() : row.endDrag()
        onCentroidChanged: row.ghost.follow(drag.centroid.scenePosition.x, drag.centroid.scenePosition.y)
    }

    function beginDrag(): void {
        row.ghost.chatId = row.chatId;
        row.ghost.title = row.title;
        row.ghost.visible = true;
    }
    function endDrag(): void {
        row.ghost.Drag.drop();
        row.ghost.visible = false;
    }
}
