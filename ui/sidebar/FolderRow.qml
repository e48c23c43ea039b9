pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Layouts
import Quire
import Quire.Models

/// A folder: expands, is renamed in place, and accepts dropped chats.
ItemDelegate {
    id: row

    required property ChatLibrary library
    required property SidebarState sidebar
    required property double folderId
    required property string title
    required property string countText
    required property bool isOpen
    required property bool isGenerating
    required property bool isUnread
    readonly property bool renaming: row.sidebar.renamedFolder === row.folderId

    objectName: "folderRow"
    height: 36
    leftPadding: 4
    rightPadding: 8
    topInset: 1
    bottomInset: 1
    hoverEnabled: true
    activeFocusOnTab: true
    Accessible.name: row.isOpen ? qsTr("Folder %1, open; chats: %2").arg(row.title).arg(row.countText)
        : qsTr("Folder %1, closed; chats: %2").arg(row.title).arg(row.countText)
    onClicked: row.library.toggleFolder(row.folderId)
    onDoubleClicked: row.sidebar.renameFolder(row.folderId)
    Keys.onReturnPressed: row.library.toggleFolder(row.folderId)
    Keys.onMenuPressed: menu.popup()

    contentItem: RowLayout {
        spacing: 6

        Icon {
            Layout.preferredWidth: 14
            Layout.preferredHeight: 14
            iconName: "right"
            rotation: row.isOpen ? 90 : 0

            Behavior on rotation { NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic } }
        }
        Icon {
            Layout.preferredWidth: 16
            Layout.preferredHeight: 16
            iconName: "folder"
        }
        Caption {
            visible: !row.renaming
            Layout.fillWidth: true
            text: row.title
        }
        Repeater {
            model: row.renaming ? 1 : 0

            RenameField {
                Layout.fillWidth: true
                Layout.leftMargin: -6
                title: row.title
                Accessible.name: qsTr("New folder name")
                onRenamed: title => row.library.renameFolder(row.folderId, title)
                onDone: row.sidebar.endRename(row.folderId)
            }
        }
        ActivityMark { visible: row.isGenerating && !row.renaming }
        Rectangle {
            visible: row.isUnread && !row.renaming
            Layout.preferredWidth: 8
            Layout.preferredHeight: 8
            radius: 4
            color: Theme.accent
        }
        Caption {
            visible: !row.renaming
            text: row.countText
            color: Theme.ink2
            font.pixelSize: Theme.tiny
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
        onDropped: event => row.library.moveToFolder((event.source as DraggedChat).chatId, row.folderId)
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: menu.popup()
    }
    FolderMenu {
        id: menu

        onRenameRequested: row.sidebar.renameFolder(row.folderId)
        onDeleteRequested: row.library.removeFolder(row.folderId)
    }
}
