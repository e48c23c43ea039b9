import QtQuick
import Quire
import Quire.Models

/// Links to the pages, shortcuts and theme.
Column {
    id: footer

    required property Appearance appearance
    required property CommandList commands
    required property Navigation navigation
    required property PersonaListModel personas
    required property ServerModel server

    topPadding: 8
    bottomPadding: 8
    spacing: 0

    ServerMark {
        width: footer.width
        server: footer.server
        navigation: footer.navigation
    }
    NavButton {
        width: footer.width
        text: qsTr("Personas")
        detail: footer.personas.count.toString()
        iconName: "persona"
        checked: footer.navigation.showsPersonas
        onClicked: footer.navigation.page = Navigation.Personas
    }
    NavButton {
        width: footer.width
        text: qsTr("Models")
        iconName: "model"
        checked: footer.navigation.showsModels
        onClicked: footer.navigation.page = Navigation.Models
    }
    NavButton {
        width: footer.width
        text: qsTr("Engine")
        iconName: "engine"
        checked: footer.navigation.showsEngine
        onClicked: footer.navigation.page = Navigation.Engine
    }
    NavButton {
        objectName: "navSettings"
        width: footer.width
        text: qsTr("Settings")
        iconName: "settings"
        checked: footer.navigation.showsSettings
        onClicked: footer.navigation.page = Navigation.Settings
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
                hintText: qsTr("Shortcuts (%1)").arg(footer.commands.keyText("page.shortcuts"))
                onClicked: footer.navigation.page = Navigation.Shortcuts
            }
            IconButton {
                iconName: "theme-" + footer.appearance.themeChoice
                iconSize: 18
                name: footer.appearance.themeText
                onClicked: footer.appearance.cycleTheme()
            }
        }
    }
}
