import QtQuick
import Quire
import Quire.Models

/// How many personas there are, and the theme.
Item {
    id: footer

    required property AppModel app

    implicitHeight: 56

    Caption {
        anchors.verticalCenter: parent.verticalCenter
        x: 8
        text: footer.app.personas.countText
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
    IconButton {
        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        iconName: "theme-" + footer.app.themeChoice
        iconSize: 18
        name: footer.app.themeText
        onClicked: footer.app.cycleTheme()
    }
}
