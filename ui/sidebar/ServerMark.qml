import QtQuick
import Quire
import Quire.Models

/// Says that the API server runs, and stops it.
Item {
    id: mark

    required property ServerModel server
    required property Navigation navigation

    visible: mark.server.isRunning
    implicitHeight: 36

    NavButton {
        id: link

        objectName: "serverMark"
        anchors.left: mark.left
        width: mark.width - stop.width - 6
        text: qsTr("Server is on")
        iconName: "server"
        ink: Theme.accent
        Accessible.role: Accessible.Button
        Accessible.description: mark.server.loadText
        onClicked: mark.navigation.page = Navigation.Settings

        Hint { over: link.hovered; held: link.pressed; text: mark.server.loadText }
    }
    IconButton {
        id: stop

        objectName: "serverMarkStop"
        anchors.right: mark.right
        anchors.rightMargin: 4
        anchors.verticalCenter: mark.verticalCenter
        iconName: "stop"
        iconSize: 18
        name: qsTr("Stop the server")
        onClicked: mark.server.stop()
    }
}
