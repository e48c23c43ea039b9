import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The actions for several selected chats.
CardFrame {
    id: bar

    required property ChatListModel chats
    required property ChatLibrary library
    required property DataTransfer transfer
    readonly property double anySelected: bar.chats.firstSelected

    objectName: "selectionBar"
    visible: bar.chats.hasSelection
    implicitHeight: 44
    radius: Theme.rowRadius
    Accessible.role: Accessible.ToolBar
    Accessible.name: bar.chats.selectedText

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: 12
        anchors.rightMargin: 4
        spacing: 0

        Caption {
            Layout.fillWidth: true
            text: bar.chats.selectedText
            font.weight: Font.Medium
            wrapMode: Text.Wrap
            maximumLineCount: 2
        }
        IconButton {
            iconName: "export"
            name: qsTr("Export selected chats")
            onClicked: bar.transfer.askExport(bar.anySelected)
        }
        IconButton {
            iconName: "archive"
            name: qsTr("Archive selected chats")
            onClicked: bar.library.setArchived(bar.anySelected, true)
        }
        IconButton {
            iconName: "trash"
            name: qsTr("Delete selected chats")
            onClicked: bar.library.remove(bar.anySelected)
        }
        IconButton {
            iconName: "close"
            name: qsTr("Clear selection")
            onClicked: bar.chats.clearSelection()
        }
    }
}
