import QtQuick
import Quire
import Quire.Models

/// Links to the pages, shortcuts and theme.
Column {
    id: footer

    required property AppModel app

    topPadding: 8
    bottomPadding: 8
    spacing: 0

    NavButton {
        width: footer.width
        text: qsTr("Personas")
        countText: footer.app.personas.count.toString()
        iconName: "persona"
        checked: footer.app.page === AppModel.Personas
        onClicked: footer.app.page = AppModel.Personas
    }
    NavButton {
        width: footer.width
        text: qsTr("Models")
        iconName: "model"
        checked: footer.app.page === AppModel.Models
        onClicked: footer.app.page = AppModel.Models
    }
    NavButton {
        width: footer.width
        text: qsTr("Engine")
        iconName: "engine"
        checked: footer.app.page === AppModel.Engine
        onClicked: footer.app.page = AppModel.Engine
    }
    NavButton {
        objectName: "navSettings"
        width: footer.width
        text: qsTr("Settings")
        iconName: "settings"
        checked: footer.app.page === AppModel.Settings
        onClicked: footer.app.page = AppModel.Settings
    }
    Item {
        width: footer.width
        height: 40

        Row {
            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            spacing: 2

            IconButton {
                iconName: "keyboard"
                iconSize: 18
                name: qsTr("Shortcuts")
                hintText: qsTr("Shortcuts (%1)").arg(footer.app.commands.keyText("page.shortcuts"))
                onClicked: footer.app.page = AppModel.Shortcuts
            }
            IconButton {
                iconName: "theme-" + footer.app.themeChoice
                iconSize: 18
                name: footer.app.themeText
                onClicked: footer.app.cycleTheme()
            }
        }
    }
}
