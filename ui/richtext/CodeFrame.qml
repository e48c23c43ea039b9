import QtQuick
import Quire

/// The frame around one row of a code block or a table. Only the first row has round corners at its top, and only the
/// last at its bottom.
Item {
    id: frame

    required property bool isTop
    required property bool isBottom
    property alias color: background.color

    Item {
        anchors.fill: parent
        clip: !frame.isTop || !frame.isBottom

        Rectangle {
            id: background

            y: frame.isTop ? 0 : -Theme.cardRadius
            width: parent.width
            height: parent.height - y + (frame.isBottom ? 0 : Theme.cardRadius)
            radius: Theme.cardRadius
            color: Theme.code
            border.color: Theme.line
        }
    }
}
