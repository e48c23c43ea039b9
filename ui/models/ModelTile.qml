pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A model's card: description, memory, and actions. It is low unless the model is loaded or its options are open; one
/// that cannot be loaded has only its name and the reason.
CardFrame {
    id: tile

    required property ModelCard card
    required property ModelLibrary library
    property bool isOpen: false
    readonly property bool isBrief: !tile.isOpen && !tile.card.isActive

    implicitHeight: column.height + (tile.isBrief ? 20 : 32)
    border.color: tile.card.isPrimary ? Theme.accent : Theme.line
    Accessible.role: Accessible.Grouping
    Accessible.name: tile.card.name
    Accessible.description: tile.card.obstacle
    Component.onCompleted: tile.card.show()

    Column {
        id: column

        x: 16
        y: tile.isBrief ? 10 : 16
        width: parent.width - 32
        spacing: tile.isBrief ? 8 : 12

        RowLayout {
            width: parent.width
            spacing: 8

            Column {
                Layout.fillWidth: true
                spacing: tile.isBrief ? 2 : 4

                RowLayout {
                    width: parent.width
                    spacing: 8

                    Heading {
                        Layout.maximumWidth: parent.width - badge.width - demonstration.width - 16
                        text: tile.card.name
                        color: tile.card.isUnusable ? Theme.ink2 : Theme.ink
                        font.pixelSize: Theme.text
                        elide: Text.ElideMiddle
                    }
                    ModelBadge { id: badge; text: tile.card.badge; live: true }
                    ModelBadge { id: demonstration; text: tile.card.demonstrationText }
                    Item { Layout.fillWidth: true }
                }
                SmallText {
                    visible: !tile.card.isUnusable
                    width: parent.width
                    text: tile.card.factsText
                }
                SmallText {
                    id: reason

                    objectName: "modelReason"
                    visible: tile.card.isUnusable
                    width: parent.width
                    text: tile.card.obstacle
                    wrapMode: Text.Wrap
                    elide: Text.ElideRight
                    maximumLineCount: 2
                    lineRatio: 1.45

                    HoverHandler { id: over }
                    Hint { over: over.hovered; text: reason.truncated ? tile.card.obstacle : "" }
                }
            }
            ModelActions {
                Layout.alignment: tile.isBrief ? Qt.AlignVCenter : Qt.AlignTop
                card: tile.card
                library: tile.library
                isOpen: tile.isOpen
                onOpened: tile.isOpen = !tile.isOpen
            }
        }
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
            isBrief: tile.isBrief
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
