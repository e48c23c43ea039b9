pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The hidden sidebar: its most used buttons, and the pages.
Rectangle {
    id: rail

    required property CommandList commands
    required property Navigation navigation
    required property SidebarState sidebar
    required property ServerModel server

    component RailButton: IconButton {
        width: 36
        height: 36
        iconSize: 18
    }
    component PageButton: RailButton {
        required property int page

        Accessible.role: Accessible.PageTab
        onClicked: rail.navigation.page = page
    }

    implicitWidth: 52
    color: Theme.side
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Chats")

    Column {
        anchors.horizontalCenter: parent.horizontalCenter
        y: 10
        spacing: 6

        RailButton {
            objectName: "showSidebar"
            iconName: "sidebar"
            name: qsTr("Show sidebar")
            onClicked: rail.sidebar.toggle()
        }
        RailButton {
            iconName: "plus"
            name: qsTr("New chat")
            onClicked: rail.navigation.newChat()
        }
        RailButton {
            iconName: "search"
            name: qsTr("Search chats and messages")
            onClicked: rail.commands.run("search.open")
        }
        RailButton {
            objectName: "serverRailMark"
            visible: rail.server.isRunning
            iconName: "server"
            ink: Theme.accent
            name: qsTr("Server is on")
            hintText: rail.server.loadText
            onClicked: rail.navigation.page = Navigation.Settings
        }
    }
    Column {
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: 10
        spacing: 6

        PageButton {
            objectName: "railPersonas"
            page: Navigation.Personas
            checked: rail.navigation.showsPersonas
            iconName: "persona"
            name: qsTr("Personas")
        }
        PageButton {
            objectName: "railModels"
            page: Navigation.Models
            checked: rail.navigation.showsModels
            iconName: "model"
            name: qsTr("Models")
        }
        PageButton {
            objectName: "railEngine"
            page: Navigation.Engine
            checked: rail.navigation.showsEngine
            iconName: "engine"
            name: qsTr("Engine")
        }
        PageButton {
            objectName: "railSettings"
            page: Navigation.Settings
            checked: rail.navigation.showsSettings
            iconName: "settings"
            name: qsTr("Settings")
        }
    }
    Line { anchors.right: parent.right; height: parent.height }
}
