import QtQuick
import Quire
import Quire.Models

/// The draggable edge that resizes the sidebar.
Item {
    id: edge

    required property SidebarState sidebar

    width: 7
    Accessible.ignored: true

    function moveTo(sceneX: real): void {
        edge.sidebar.resize(Theme.mirrored ? edge.Window.width - sceneX : sceneX);
    }

    Rectangle {
        anchors.right: parent.right
        width: drag.active ? 2 : 1
        height: parent.height
        color: drag.active || hover.hovered ? Theme.accent : Theme.line
    }
    HoverHandler {
        id: hover

        cursorShape: Qt.SplitHCursor
    }
    DragHandler {
        id: drag

        target: null
        cursorShape: Qt.SplitHCursor
        onCentroidChanged: drag.active && edge.moveTo(drag.centroid.scenePosition.x)
        onActiveChanged: drag.active || edge.sidebar.save()
    }
}
