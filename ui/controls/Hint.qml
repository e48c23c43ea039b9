import QtQuick
import QtQuick.Controls
import Quire

/// What a control does, in words, when the pointer rests on it.
ToolTip {
    id: hint

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
        elide: Text.ElideNone
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
