import QtQuick
import Quire
import Quire.Models

/// A folder of the chat list, with the heading above the first.
Column {
    id: entry

    required property ChatLibrary library
    required property SidebarState sidebar
    required property double folderId
    required property string title
    required property string countText
    required property bool isOpen
    required property bool isGenerating
    required property bool isUnread
    readonly property bool headed: ListView.section !== ListView.previousSection

    height: entry.headed ? 70 : 36

    SectionLabel {
        width: parent.width
        text: entry.ListView.section
        shown: entry.headed

        IconButton {
            visible: parent.visible
            anchors.right: parent.right
            anchors.rightMargin: 4
            anchors.bottom: parent.bottom
            width: 24
            height: 24
            iconName: "plus"
            name: qsTr("New folder")
            onClicked: entry.sidebar.renameFolder(entry.library.createFolder(""))
        }
    }
    FolderRow {
        width: parent.width
        library: entry.library
        sidebar: entry.sidebar
        folderId: entry.folderId
        title: entry.title
        countText: entry.countText
        isOpen: entry.isOpen
        isGenerating: entry.isGenerating
        isUnread: entry.isUnread
    }
}
