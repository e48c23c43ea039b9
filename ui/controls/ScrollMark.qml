import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A thin scroll bar that shows only while it is used. A horizontal one shows as long as something is out of sight:
/// nobody would look for that.
ScrollBar {
    id: bar

    padding: 3
    interactive: bar.size < 1.0  // Otherwise it would lie over the last line and take its clicks.
    minimumSize: 0.06

    contentItem: Rectangle {
        implicitWidth: 6
        implicitHeight: 6
        radius: 3
        color: bar.pressed ? Theme.ink2 : Theme.ink3
        opacity: bar.size >= 1.0 ? 0 : bar.active || bar.hovered ? 0.7 : bar.horizontal ? 0.4 : 0

        Behavior on opacity {
            NumberAnimation { duration: Theme.motion }
        }
    }
    background: Item {}
}
