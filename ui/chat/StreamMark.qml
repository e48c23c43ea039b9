import QtQuick
import Quire

/// The blinking end of an answer that is being written. Like a text cursor it does not fade: an
/// animation would draw the window sixty times a second while it waits for the next word.
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
