pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The grid of panes with draggable dividers. Tabs lead to the panes that do not fit.
Item {
    id: area

    required property AppModel app
    required property bool isOpen
    readonly property PaneListModel panes: area.app.panes

    /// A part of the width, from where the columns begin, and back.
    function fromStart(part: real): real {
        return Theme.mirrored ? 1 - part : part;
    }

    Component.onCompleted: area.panes.setArea(board.width, board.height)

    PaneTabs {
        id: tabs

        width: parent.width
        visible: area.panes.hasTabs
        panes: area.panes
    }
    Item {
        id: board

        anchors.fill: parent
        anchors.topMargin: tabs.visible ? tabs.height : 0
        onWidthChanged: area.panes.setArea(board.width, area.height)
        onHeightChanged: area.panes.setArea(board.width, area.height)

        Repeater {
            model: PaneSlots {
                id: slots

                panes: area.panes
            }
            onItemRemoved: (index, item) => (item as PaneSlot).finish()

            PaneSlot {
                app: area.app
                paneSlots: slots
                isOpen: area.isOpen
                grid: board
            }
        }
        Repeater {
            model: area.panes.columnEdges.length

            PaneEdge {
                required property int index

                x: Math.round(area.fromStart(area.panes.columnEdges[index]) * board.width) - 4
                width: 8
                height: parent.height
                name: qsTr("Divider between columns %1 and %2").arg(index + 1).arg(index + 2)
                onMoved: (x, y) => area.panes.moveColumnEdge(index, area.fromStart(x / board.width))
                onReleased: area.panes.keepEdges()
            }
        }
        Repeater {
            model: area.panes.rowEdges.length

            PaneEdge {
                required property int index

                y: Math.round(area.panes.rowEdges[index] * board.height) - 4
                width: parent.width
                height: 8
                vertical: false
                name: qsTr("Divider between rows %1 and %2").arg(index + 1).arg(index + 2)
                onMoved: (x, y) => area.panes.moveRowEdge(index, y / board.height)
                onReleased: area.panes.keepEdges()
            }
        }
    }
    ChatDrop {
        objectName: "newPaneDrop"
        anchors.right: parent.right
        width: 120
        height: parent.height
        text: qsTr("Open in new pane")
        onChatDropped: id => area.app.navigation.openChatBeside(id)
    }
}
