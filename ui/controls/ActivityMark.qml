pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// Three bars that rise and fall while an answer is generated. A timer moves them eight times a second: an animation
/// would render the window sixty times a second.
Row {
    id: mark

    property color color: Theme.accent
    property bool running: true
    property int step: 0

    spacing: 2
    width: 14
    height: 12
    Accessible.ignored: true

    Timer {
        interval: 125
        repeat: true
        running: mark.running && mark.visible && Theme.motion > 0
        onTriggered: mark.step = (mark.step + 1) % 8
    }
    Repeater {
        model: 3

        Rectangle {
            id: bar

            required property int index

            anchors.bottom: mark.bottom
            width: 3
            height: [11, 10, 7, 4, 3, 4, 7, 10][(mark.step + 2 * bar.index) % 8]
            radius: 1
            color: mark.color
        }
    }
}
