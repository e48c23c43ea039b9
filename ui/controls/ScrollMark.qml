import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A thin scroll bar that shows only while it can be used.
ScrollBar {
    id: bar

    padding: 3
    minimumSize: 0.06

    contentItem: Rectangle {
        implicitWidth: 6
        implicitHeight: 6
        radius: 3
        color: bar.pressed ? Theme.ink2 : Theme.ink3
        opacity: bar.size < 1.0 && (bar.active || bar.hovered) ? 0.7 : 0

        Behavior on opacity {
            NumberAnimation { duration: Theme.motion }
        }
    }
    background: Item {}
}
