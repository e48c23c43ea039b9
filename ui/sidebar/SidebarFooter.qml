import QtQuick
import Quire
import Quire.Models

/// The way to the pages, and the theme.
Column {
    id: footer

    required property AppModel app

    topPadding: 8
    bottomPadding: 12
    spacing: 0

    NavButton {
        width: footer.width
        text: qsTr("Engine")
        iconName: "engine"
        checked: footer.app.page === AppModel.Engine
        onClicked: footer.app.page = AppModel.Engine
    }
    NavButton {
        width: footer.width
        text: qsTr("Shortcuts")
        iconName: "keyboard"
        checked: footer.app.page === AppModel.Shortcuts
        onClicked: footer.app.page = AppModel.Shortcuts
    }
    Item {
        width: footer.width
        height: 36

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
}
