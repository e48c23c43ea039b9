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
            commands: sidebar.app.commands
            sidebar: sidebar.app.sidebar
        }
        NewChatButton {
            Layout.fillWidth: true
            navigation: sidebar.app.navigation
        }
        ChatList {
            id: list

            Layout.topMargin: 6
            Layout.fillWidth: true
            Layout.fillHeight: true
            visible: !sidebar.app.chats.isEmpty
            app: sidebar.app
        }
        SmallText {
            visible: sidebar.app.chats.isEmpty
            Layout.topMargin: 20
            Layout.leftMargin: 8
            Layout.rightMargin: 8
            Layout.fillWidth: true
            Layout.fillHeight: true
            text: qsTr("No chats yet. Your chats stay on this computer.")
            wrapMode: Text.Wrap
            lineRatio: 1.75
        }
        Line {
            objectName: "chatListEnd"
            Layout.fillWidth: true
            opacity: list.visible && !list.atYEnd ? 1 : 0
        }
        SelectionBar {
            Layout.fillWidth: true
            Layout.topMargin: 6
            chats: sidebar.app.chats
            library: sidebar.app.library
            transfer: sidebar.app.transfer
        }
        SidebarFooter {
            Layout.fillWidth: true
            appearance: sidebar.app.appearance
            commands: sidebar.app.commands
            navigation: sidebar.app.navigation
            personas: sidebar.app.personas
            server: sidebar.app.server
        }
    }
    SidebarEdge {
        anchors.right: parent.right
        height: parent.height
        sidebar: sidebar.app.sidebar
    }
}
