pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Layouts
import Quire
import Quire.Models

/// A folder of the list, with the heading above the first: expands, is renamed in place, and accepts dropped chats.
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
    readonly property bool renaming: entry.sidebar.renamedFolderId === entry.folderId

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
    ItemDelegate {
        id: row

        objectName: "folderRow"
        width: parent.width
        height: 36
        leftPadding: Theme.mirrored ? 8 : 4
        rightPadding: Theme.mirrored ? 4 : 8
        topInset: 1
        bottomInset: 1
        hoverEnabled: true
        activeFocusOnTab: true
        Accessible.name: entry.isOpen ? qsTr("Folder %1, open; chats: %2").arg(entry.title).arg(entry.countText)
            : qsTr("Folder %1, closed; chats: %2").arg(entry.title).arg(entry.countText)
        onClicked: entry.library.toggleFolder(entry.folderId)
        onDoubleClicked: entry.sidebar.renameFolder(entry.folderId)
        Keys.onReturnPressed: entry.library.toggleFolder(entry.folderId)
        Keys.onMenuPressed: menu.openAtPointer()

        contentItem: RowLayout {
            spacing: 6

            Icon {
                size: 14
                iconName: "right"
                rotation: !entry.isOpen ? 0 : Theme.mirrored ? -90 : 90

                Behavior on rotation { NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic } }
            }
            Icon {
                size: 16
                iconName: "folder"
            }
            Caption {
                visible: !entry.renaming
                Layout.fillWidth: true
                text: entry.title
            }
            Repeater {
                model: entry.renaming ? 1 : 0

                RenameField {
                    Layout.fillWidth: true
                    Layout.leftMargin: -6
                    title: entry.title
                    name: qsTr("New folder name")
                    onRenamed: title => entry.library.renameFolder(entry.folderId, title)
                    onDone: entry.sidebar.endRename(entry.folderId)
                }
            }
            ActivityMark { visible: entry.isGenerating && !entry.renaming }
            Dot {
                visible: entry.isUnread && !entry.renaming
                radius: 4
                color: Theme.accent
            }
            TinyText {
                visible: !entry.renaming
                text: entry.countText
            }
        }
        background: Rectangle {
            radius: Theme.rowRadius
            color: drop.containsDrag ? Theme.selection : row.hovered ? Theme.hover : "transparent"
            border.width: drop.containsDrag ? 1 : 0
            border.color: Theme.accent

            FocusFrame { shown: row.visualFocus; anchors.margins: 0; radius: Theme.rowRadius }
        }

        DropArea {
            id: drop

            anchors.fill: parent
            keys: ["application/x-quire-chat"]
            onDropped: event => entry.library.moveToFolder((event.source as DraggedChat).chatId, entry.folderId)
        }
        TapHandler {
            acceptedButtons: Qt.RightButton
            onTapped: menu.openAtPointer()
        }
        AppMenu {
            id: menu

            AppMenuItem {
                text: qsTr("Rename")
                iconName: "edit"
                onTriggered: entry.sidebar.renameFolder(entry.folderId)
            }
            AppMenuItem {
                text: qsTr("Delete folder, keep chats")
                iconName: "trash"
                warns: true
                onTriggered: entry.library.removeFolder(entry.folderId)
            }
        }
    }
}
