import QtQuick
import Quire

/// The blinking cursor at the end of a streaming answer. It does not fade: an animation would render the window sixty
/// times a second.
Rectangle {
    id: mark

    property bool isDim: false

    objectName: "streamMark"
    width: 7
    height: 16
    radius: 1
    color: Theme.ink
    opacity: mark.isDim ? 0.15 : 1
    Accessible.ignored: true

    Timer {
        interval: mark.isDim ? 300 : 600
        repeat: true
        running: mark.visible && Theme.motion > 0
        onTriggered: mark.isDim = !mark.isDim
    }
}
