pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A model's card: description, memory, and actions.
CardFrame {
    id: tile

    required property ModelCard card
    required property ModelLibrary library
    property bool isOpen: false

    implicitHeight: column.height + 32
    border.color: tile.card.isPrimary ? Theme.accent : Theme.line
    Accessible.role: Accessible.Grouping
    Accessible.name: tile.card.name
    Component.onCompleted: tile.card.show()

    Column {
        id: column

        x: 16
        y: 16
        width: parent.width - 32
        spacing: 12

        RowLayout {
            width: parent.width
            spacing: 8

            Column {
                Layout.fillWidth: true
                spacing: 4

                RowLayout {
                    width: parent.width
                    spacing: 8

                    Heading {
                        Layout.maximumWidth: parent.width - badge.width - demonstration.width - 16
                        text: tile.card.name
                        font.pixelSize: Theme.text
                        elide: Text.ElideMiddle
                    }
                    ModelBadge { id: badge; text: tile.card.badge; live: true }
                    ModelBadge { id: demonstration; text: tile.card.demonstrationText }
                    Item { Layout.fillWidth: true }
                }
                SmallText {
                    width: parent.width
                    text: tile.card.factsText
                }
            }
            ModelActions {
                Layout.alignment: Qt.AlignTop
                card: tile.card
                library: tile.library
                isOpen: tile.isOpen
                onOpened: tile.isOpen = !tile.isOpen
            }
        }
        Sentence { width: parent.width; text: tile.card.obstacle; warns: true }
        Sentence { width: parent.width; text: tile.card.loadError; warns: true }
        Sentence { width: parent.width; text: tile.card.noteText }
        Sentence { width: parent.width; text: tile.card.statusText }
        Sentence { width: parent.width; text: tile.card.draftNote; warns: true }
        ModelProgress {
            visible: tile.card.isLoading
            width: parent.width
            card: tile.card
        }
        MemoryBar {
            visible: tile.card.showsMemory
            width: parent.width
            memory: tile.card.memory
        }
        Repeater {
            model: tile.isOpen ? 1 : 0  // Created on demand, because the options have many controls.

            ModelOptionsView {
                width: column.width
                card: tile.card
            }
        }
    }
}
