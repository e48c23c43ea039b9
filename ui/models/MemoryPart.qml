import QtQuick
import Quire

/// One part of a memory bar.
Rectangle {
    id: part

    required property real share
    required property real whole
    required property color tone
    property real strength: 1.0
    property bool leads: false

    width: Math.max(part.share > 0 ? 2 : 0, Math.round((part.whole - 2) * part.share))
    height: 6
    radius: part.leads ? 3 : 0
    color: part.tone
    opacity: part.strength

    Behavior on width {
        NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic }
    }
}
