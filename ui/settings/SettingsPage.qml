pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// All settings: the list of sections with the search at the left, one section, or what a search finds, at the right.
Item {
    id: view

    required property AppModel app
    readonly property SettingsSearch search: view.app.settingsSearch
    readonly property bool narrow: view.width < 700

    SettingsSections {
        id: sections

        anchors.left: parent.left
        search: view.search
        narrow: view.narrow
        width: view.narrow ? view.width : Math.round(240 * Math.max(1, Theme.textScale))
        height: view.narrow ? implicitHeight : view.height
    }
    PageFrame {
        objectName: "settingsPage"
        anchors.right: parent.right
        y: view.narrow ? sections.height : 0
        width: view.narrow ? view.width : view.width - sections.width
        height: view.height - y
        contentMaximum: 760
        title: qsTr("Settings")
        subtitle: view.search.isSearching ? view.search.summary : qsTr("Changes are marked and can be reset.")

        SettingsContent {
            width: parent.width
            app: view.app
            search: view.search
        }
    }
}
