import QtQuick
import Quire

/// The edges of a pane, the mark of the one that has the focus, and what gives it the focus.
Item {
    id: frame

    required property bool isCurrent
    required property bool hasEdge
    required property bool hasLowerEdge

    signal pressed()

    Rectangle {
        visible: frame.isCurrent
        width: parent.width
        height: 2
        color: Theme.accent
    }
    Line {
        visible: frame.hasEdge
        anchors.right: parent.right
        height: parent.height
    }
    Line {
        visible: frame.hasLowerEdge
        anchors.bottom: parent.bottom
        width: parent.width
    }
    PointHandler {
        acceptedButtons: Qt.LeftButton | Qt.RightButton
        onActiveChanged: active && frame.pressed()
    }
}
