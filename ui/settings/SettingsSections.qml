pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The search over all settings, and the list of their sections; in a narrow window a drop-down list of them.
Item {
    id: list

    required property SettingsSearch search
    required property bool narrow

    implicitHeight: column.y + column.height
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Sections of the settings")

    Column {
        id: column

        x: 20
        y: 32
        width: list.width - 2 * x
        spacing: 4

        SearchField {
            id: field

            objectName: "settingsSearch"
            width: parent.width
            name: qsTr("Search settings")
            hint: qsTr("Search")
            onTextEdited: list.search.query = field.text

            Connections {
                target: list.search
                function onChanged(): void { field.text = list.search.query; }
            }
        }
        Item { width: 1; height: 8 }
        AppComboBox {
            objectName: "settingsSection"
            visible: list.narrow
            width: parent.width
            name: qsTr("Section")
            model: list.search.sectionNames
            currentIndex: list.search.sectionPlace
            onModelChanged: currentIndex = Qt.binding(() => list.search.sectionPlace)
            onChosen: index => list.search.openPlace(index)
        }
        Repeater {
            model: list.search

            NavButton {
                id: entry

                required property int index
                required property string sectionId
                required property string name
                required property string sectionIcon
                required property string matches
                required property bool isCurrent
                required property bool isAvailable

                objectName: "section-" + entry.sectionId
                visible: entry.isAvailable && !list.narrow
                width: column.width
                iconName: entry.sectionIcon
                text: entry.name
                detail: entry.matches
                checked: entry.isCurrent
                opacity: entry.matches === "0" ? 0.55 : 1
                Accessible.selected: entry.isCurrent
                Keys.onDownPressed: entry.nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                Keys.onUpPressed: entry.nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                onClicked: list.search.open(entry.index)
            }
        }
    }
    Line {
        anchors.right: parent.right
        visible: !list.narrow
        height: parent.height
    }
}
