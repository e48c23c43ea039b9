import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The sidebar: new chat, search, chats, and links to the pages.
Rectangle {
    id: sidebar

    required property AppModel app

    color: Theme.side
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Chats")

    ColumnLayout {
        anchors.fill: parent
        anchors.leftMargin: 10
        anchors.rightMargin: 11
        spacing: 0

        SidebarHead {
            Layout.fillWidth: true
            app: sidebar.app
        }
        NewChatButton {
            Layout.fillWidth: true
            app: sidebar.app
        }
        ChatList {
            Layout.topMargin: 6
            Layout.fillWidth: true
            Layout.fillHeight: true
            visible: !sidebar.app.chats.isEmpty
            app: sidebar.app
        }
        Caption {
            visible: sidebar.app.chats.isEmpty
            Layout.topMargin: 20
            Layout.leftMargin: 8
            Layout.rightMargin: 8
            Layout.fillWidth: true
            Layout.fillHeight: true
            text: qsTr("No chats yet. Your chats stay on this computer.")
            color: Theme.ink2
            font.pixelSize: Theme.small
            wrapMode: Text.Wrap
            lineRatio: 1.75
        }
        SelectionBar {
            Layout.fillWidth: true
            Layout.topMargin: 6
            app: sidebar.app
        }
        SidebarFooter {
            Layout.fillWidth: true
            app: sidebar.app
        }
    }
    SidebarEdge {
        anchors.right: parent.right
        height: parent.height
        sidebar: sidebar.app.sidebar
    }
}
