import QtQuick
import Quire

/// The frame around one row of a table: rounded at the first and the last.
Item {
    id: edge

    required property bool isTop
    required property bool isBottom

    clip: true

    Rectangle {
        y: edge.isTop ? 0 : -Theme.cardRadius
        width: edge.width
        height: edge.height - y + (edge.isBottom ? 0 : Theme.cardRadius)
        radius: Theme.cardRadius
        color: "transparent"
        border.color: Theme.line
    }
}
