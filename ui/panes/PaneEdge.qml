import QtQuick
import Quire

/// A divider between panes, moved by dragging or with the arrow keys.
Item {
    id: edge

    required property string name
    property bool vertical: true
    readonly property real step: 24

    /// The requested position, in the coordinates of the grid.
    signal moved(real x, real y)
    signal released()

    function moveBy(distance: real): void {
        edge.moved(edge.x + edge.width / 2 + distance, edge.y + edge.height / 2 + distance);
        edge.released();
    }

    objectName: "paneEdge"
    activeFocusOnTab: true
    Accessible.role: Accessible.Splitter
    Accessible.name: edge.name
    Keys.onLeftPressed: edge.moveBy(-edge.step)
    Keys.onRightPressed: edge.moveBy(edge.step)
    Keys.onUpPressed: edge.moveBy(-edge.step)
    Keys.onDownPressed: edge.moveBy(edge.step)

    Rectangle {
        anchors.centerIn: parent
        width: edge.vertical ? 2 : parent.width
        height: edge.vertical ? parent.height : 2
        visible: hover.hovered || drag.active || edge.activeFocus
        color: edge.activeFocus ? Theme.accent : Theme.ink3
    }
    HoverHandler {
        id: hover

        cursorShape: edge.vertical ? Qt.SplitHCursor : Qt.SplitVCursor
    }
    DragHandler {
        id: drag

        target: null
        dragThreshold: 2
        onCentroidChanged: drag.active && edge.moved(edge.x + drag.centroid.position.x, edge.y + drag.centroid.position.y)
        onActiveChanged: drag.active || edge.released()
    }
}
