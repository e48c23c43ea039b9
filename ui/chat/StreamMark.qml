import QtQuick
import Quire

/// The blinking end of an answer that is being written.
Rectangle {
    id: mark

    objectName: "streamMark"
    width: 7
    height: 16
    radius: 1
    color: Theme.ink
    Accessible.ignored: true

    SequentialAnimation on opacity {
        running: mark.visible && Theme.motion > 0
        loops: Animation.Infinite
        PauseAnimation { duration: 500 }
        NumberAnimation { to: 0.15; duration: Theme.motion }
        PauseAnimation { duration: 250 }
        NumberAnimation { to: 1; duration: Theme.motion }
    }
}
