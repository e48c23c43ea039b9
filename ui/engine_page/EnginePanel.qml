import QtQuick
import Quire
import Quire.Models

/// The engine panel beside the chats.
Rectangle {
    id: panel

    required property EngineMonitor monitor

    implicitWidth: 280
    color: Theme.background
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Engine")

    Line { anchors.left: parent.left; height: parent.height }
    ScrollArea {
        anchors.fill: parent
        anchors.leftMargin: 1
        contentHeight: column.height + 36

        Column {
            id: column

            x: 16
            y: 16
            width: parent.width - 32
            spacing: 16

            ThroughputView {
                width: parent.width
                monitor: panel.monitor
            }
            EngineCard {
                width: parent.width
                title: qsTr("Cache blocks")
                note: panel.monitor.blocks.countText

                BlockMap {
                    id: blockMap

                    width: parent.width
                    map: panel.monitor.blocks
                }
                TinyText {
                    visible: text !== ""
                    width: parent.width
                    text: blockMap.scaleText
                    wrapMode: Text.Wrap
                }
                BlockKey {
                    width: parent.width
                    columns: 1
                    map: panel.monitor.blocks
                }
                BlockReader {
                    width: parent.width
                    map: panel.monitor.blocks
                }
            }
            EngineCard {
                width: parent.width
                title: qsTr("Last prompt")
                spacing: 8

                FigureColumn {
                    width: parent.width
                    figures: panel.monitor.lastPrompt
                }
                SmallText {
                    width: parent.width
                    text: panel.monitor.lastPromptStory
                    wrapMode: Text.Wrap
                    lineRatio: 1.7
                }
            }
            EngineCard {
                width: parent.width
                title: qsTr("Speed")

                FigureColumn {
                    width: parent.width
                    figures: panel.monitor.overview
                }
            }
        }
    }
}
