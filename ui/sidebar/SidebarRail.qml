import QtQuick
import Quire
import Quire.Models

/// The hidden sidebar: its most used buttons.
Rectangle {
    id: rail

    required property CommandList commands
    required property Navigation navigation
    required property SidebarState sidebar
    required property ServerModel server

    implicitWidth: 52
    color: Theme.side
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Chats")

    Column {
        anchors.horizontalCenter: parent.horizontalCenter
        y: 10
        spacing: 6

        IconButton {
            objectName: "showSidebar"
            width: 36
            height: 36
            iconName: "sidebar"
            name: qsTr("Show sidebar")
            onClicked: rail.sidebar.toggle()
        }
        IconButton {
            width: 36
            height: 36
            iconName: "plus"
            name: qsTr("New chat")
            onClicked: rail.navigation.newChat()
        }
        IconButton {
            width: 36
            height: 36
            iconName: "search"
            name: qsTr("Search chats and messages")
            onClicked: rail.commands.run("search.open")
        }
        IconButton {
            objectName: "serverRailMark"
            visible: rail.server.isRunning
            width: 36
            height: 36
            iconName: "server"
            ink: Theme.accent
            name: qsTr("Server is on")
            hintText: rail.server.loadText
            onClicked: rail.navigation.page = Navigation.Settings
        }
    }
    Line { anchors.right: parent.right; height: parent.height }
}
