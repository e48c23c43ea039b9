import QtQuick
import Quire

/// The background of a part of a code block: rounded at the first and the last.
Item {
    id: frame

    required property bool isTop
    required property bool isBottom

    Item {
        anchors.fill: parent
        clip: !frame.isTop || !frame.isBottom

        Rectangle {
            y: frame.isTop ? 0 : -Theme.cardRadius
            width: parent.width
            height: parent.height - y + (frame.isBottom ? 0 : Theme.cardRadius)
            radius: Theme.cardRadius
            color: Theme.code
            border.color: Theme.line
        }
    }
}
