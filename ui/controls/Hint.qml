import QtQuick
import QtQuick.Controls
import Quire

/// A tooltip, hidden once the control is pressed. It is placed below the control, or above where there is no room.
ToolTip {
    id: hint

    property bool over: false
    property bool held: false
    property bool wasHeld: false

    onOverChanged: hint.over || (hint.wasHeld = false)
    onHeldChanged: hint.wasHeld = hint.wasHeld || hint.held
    // A disabled or hidden button may still count as hovered.
    visible: hint.over && !hint.wasHeld && hint.text !== "" && hint.parent !== null && hint.parent.enabled
    y: parent ? parent.height + 4 : 0

    delay: 500
    padding: 8
    leftPadding: 10
    rightPadding: 10
    margins: 8
    contentWidth: Math.min(hint.implicitContentWidth, 380)

    contentItem: Caption {
        text: hint.text
        color: Theme.background
        font.pixelSize: Theme.small
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
    background: Rectangle {
        color: Theme.ink
        radius: Theme.rowRadius
    }
    enter: Transition {
        NumberAnimation { property: "opacity"; from: 0; to: 1; duration: Theme.motion }
    }
    exit: Transition {
        NumberAnimation { property: "opacity"; to: 0; duration: Theme.motion }
    }
}
