import QtQuick
import Quire
import Quire.Models

/// A row of the chat list, with the heading of its section above the first.
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
    readonly property bool headed: ListView.section !== ListView.previousSection && ListView.section !== ""
    readonly property alias mousePressed: row.mousePressed

    function openMenu(): void {
        row.openMenu();
    }

    // Said, not left to the column, which knows it only after the list has asked: rows without a height would all fit.
    height: entry.headed ? 74 : 40

    SectionLabel {
        width: parent.width
        text: entry.ListView.section
        shown: entry.headed
    }
    ChatRow {
        id: row

        width: parent.width
        leftPadding: entry.folderId !== 0 ? 22 : 8
        library: entry.library
        navigation: entry.navigation
        sidebar: entry.sidebar
        menu: entry.menu
        ghost: entry.ghost
        chatId: entry.chatId
        folderId: entry.folderId
        title: entry.title
        colorIndex: entry.colorIndex
        timeText: entry.timeText
        isGenerating: entry.isGenerating
        isUnread: entry.isUnread
        isCurrent: entry.isCurrent
        isSelected: entry.isSelected
        isPinned: entry.isPinned
        isArchived: entry.isArchived
        isFork: entry.isFork
    }
}
