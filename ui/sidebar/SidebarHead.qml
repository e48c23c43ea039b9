import QtQuick
import Quire
import Quire.Models

/// The application's name, search, and the button that hides the sidebar.
Item {
    id: head

    required property CommandList commands
    required property SidebarState sidebar

    implicitHeight: 56

    Caption {
        anchors.verticalCenter: parent.verticalCenter
        anchors.left: parent.left
        anchors.leftMargin: 8
        text: qsTr("Quire")
        font.pixelSize: Theme.large
        font.weight: Font.DemiBold
    }
    Row {
        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        spacing: 2

        IconButton {
            objectName: "searchButton"
            iconName: "search"
            name: qsTr("Search chats and messages")
            hintText: qsTr("Search (%1)").arg(head.commands.keyText("search.open"))
            onClicked: head.commands.run("search.open")
        }
        IconButton {
            iconName: "sidebar"
            name: qsTr("Hide sidebar")
            hintText: qsTr("Hide sidebar (%1)").arg(head.commands.keyText("window.sidebar"))
            onClicked: head.sidebar.toggle()
        }
    }
}
