import QtQuick
import Quire

/// A bar that is filled up to `value`, which is between 0 and 1.
Rectangle {
    id: bar

    required property real value
    property color tone: Theme.accent
    property real leastWidth: 0  ///< Of the filled part.

    radius: height / 2
    color: Theme.line

    Rectangle {
        anchors.left: parent.left
        width: Math.max(bar.leastWidth, parent.width * bar.value)
        height: parent.height
        radius: bar.radius
        color: bar.tone

        Behavior on width {
            NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic }
        }
    }
}
