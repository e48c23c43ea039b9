pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// All personas as cards, with what each costs and saves.
PageFrame {
    id: page

    required property Navigation navigation
    required property PersonaLibrary library
    readonly property int numColumns: page.columnWidth > 720 ? 3 : page.columnWidth > 460 ? 2 : 1

    contentMaximum: 1040
    title: qsTr("Personas")
    subtitle: qsTr("A persona has a name, instructions and sampling settings. Its chats share the instructions in memory, computed once.")
    actions: [
        ActionButton {
            id: presetButton

            objectName: "presetButton"
            text: qsTr("From presets")
            trailingIcon: "down"
            onClicked: presetMenu.openBelow(presetButton)

            AppMenu {
                id: presetMenu

                implicitWidth: 440

                Instantiator {
                    model: page.library.presets
                    delegate: PresetMenuItem {
                        onTriggered: page.library.addPreset(presetId)
                    }
                    onObjectAdded: (index, object) => presetMenu.insertItem(index, object)
                    onObjectRemoved: (index, object) => presetMenu.removeItem(object)
                }
            }
        },
        ActionButton {
            objectName: "newPersona"
            primary: true
            text: qsTr("New persona")
            onClicked: page.library.create()
        }
    ]

    Binding {
        target: page.library
        property: "watched"
        value: page.navigation.showsPersonas
    }
    SearchField {
        anchors.left: parent.left
        objectName: "personaSearch"
        width: Math.min(360, page.columnWidth)
        name: qsTr("Search personas")
        hint: qsTr("Search names and instructions")
        onTextChanged: page.library.shown.searchText = text
    }
    Grid {
        id: grid

        readonly property real cellWidth: Math.floor((page.columnWidth - (columns - 1) * spacing) / columns)

        visible: page.library.shown.emptyText === ""
        width: parent.width
        columns: page.numColumns
        spacing: 14

        Repeater {
            model: page.library.shown

            PersonaTile {
                width: grid.cellWidth
                library: page.library
                onChatRequested: id => page.navigation.newChatUnder(id)
            }
        }
    }
    EmptyNote {
        width: parent.width
        text: page.library.shown.emptyText
    }
    UndoToast {
        parent: page
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: 24
        text: page.library.undoText
        onUndone: page.library.undoRemove()
    }
    PersonaSheet { editor: page.library.editor }
}
