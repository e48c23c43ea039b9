pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// Three bars that rise and fall: an answer is being written.
Row {
    id: mark

    property color color: Theme.accent
    property bool running: true

    spacing: 2
    width: 14
    height: 12
    Accessible.ignored: true

    Repeater {
        model: 3

        Rectangle {
            id: bar

            required property int index

            anchors.bottom: mark.bottom
            width: 3
            height: [7, 11, 5][bar.index]
            radius: 1
            color: mark.color

            SequentialAnimation on height {
                running: mark.running && mark.visible && Theme.motion > 0
                loops: Animation.Infinite
                PauseAnimation { duration: bar.index * 120 }
                NumberAnimation { to: 3; duration: 360; easing.type: Easing.InOutSine }
                NumberAnimation { to: 11; duration: 360; easing.type: Easing.InOutSine }
                PauseAnimation { duration: (2 - bar.index) * 120 }
            }
        }
    }
}
