pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A chat of the list: colour, name (renamed in place), and state; with the heading of its section above the first.
Column {
    id: entry

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
    /// A page beside the chats is current in their place.
    readonly property bool isShown: entry.isCurrent && !entry.navigation.isPageOpen
    readonly property bool headed: ListView.section !== ListView.previousSection && ListView.section !== ""
    readonly property real startPadding: entry.folderId !== 0 ? 22 : 8
    readonly property bool mousePressed: row.pressed && row.hovered || drag.active

    function openMenu(): void {
        entry.menu.openFor(entry.chatId, entry.isPinned, entry.isArchived, entry.isUnread, entry.folderId);
    }
    function beginDrag(): void {
        entry.ghost.chatId = entry.chatId;
        entry.ghost.title = entry.title;
        entry.ghost.visible = true;
    }
    function endDrag(): void {
        entry.ghost.Drag.drop();
        entry.ghost.visible = false;
    }

    // Set here, because the column computes its height too late: the list would create all rows as if they had none.
    height: entry.headed ? 74 : 40

    SectionLabel {
        width: parent.width
        text: entry.ListView.section
        shown: entry.headed
    }
    ItemDelegate {
        id: row

        objectName: entry.isCurrent ? "currentChatRow" : ""
        width: parent.width
        height: 40
        leftPadding: Theme.mirrored ? 8 : entry.startPadding
        rightPadding: Theme.mirrored ? entry.startPadding : 8
        topPadding: 0
        bottomPadding: 0
        topInset: 2
        bottomInset: 2
        hoverEnabled: true
        highlighted: entry.isShown
        focusPolicy: Qt.NoFocus
        opacity: entry.isArchived && !entry.isCurrent ? 0.75 : 1
        Accessible.name: entry.isGenerating ? qsTr("%1, answering").arg(entry.title)
            : entry.isUnread ? qsTr("%1, new answer").arg(entry.title) : entry.title
        Accessible.selected: entry.isSelected
        onClicked: entry.navigation.clickChat(entry.chatId)
        onDoubleClicked: entry.sidebar.renameChat(entry.chatId)

        contentItem: ChatRowContent {
            title: entry.title
            dotColor: Theme.chatColor(entry.colorIndex)
            timeText: entry.timeText
            isGenerating: entry.isGenerating
            isUnread: entry.isUnread
            isFork: entry.isFork
            renaming: entry.sidebar.renamedChatId === entry.chatId
            moreShown: row.hovered && !drag.active || entry.menu.opened && entry.menu.chatId === entry.chatId
            onRenamed: title => entry.library.rename(entry.chatId, title)
            onRenameEnded: entry.sidebar.endRename(entry.chatId)
            onMoreRequested: entry.openMenu()
        }
        background: Rectangle {
            radius: Theme.rowRadius
            color: entry.isSelected ? Theme.selection : entry.isShown ? Theme.selected : row.hovered ? Theme.hover : "transparent"

            SelectionMark { shown: entry.isShown }
        }

        TapHandler {
            acceptedButtons: Qt.RightButton
            onTapped: entry.openMenu()
        }
        TapHandler {
            acceptedButtons: Qt.MiddleButton
            onTapped: entry.navigation.openChatBeside(entry.chatId)
        }
        DragHandler {
            id: drag

            target: null
            acceptedDevices: PointerDevice.Mouse
            enabled: entry.sidebar.renamedChatId !== entry.chatId
            onActiveChanged: active ? entry.beginDrag() : entry.endDrag()
            onCentroidChanged: entry.ghost.follow(drag.centroid.scenePosition.x, drag.centroid.scenePosition.y)
        }
    }
}
