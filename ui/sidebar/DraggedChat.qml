import QtQuick
import Quire

/// The chat that is being dragged.
Rectangle {
    id: ghost

    property double chatId: 0
    property alias title: words.text

    /// Moves to a position in scene coordinates.
    function follow(x: real, y: real): void {
        const at = ghost.parent.mapFromItem(null, x, y);
        ghost.x = at.x - ghost.Drag.hotSpot.x;
        ghost.y = at.y - ghost.height / 2;
    }

    visible: false
    z: 10
    width: Math.min(words.implicitWidth + 24, 220)
    height: 30
    radius: Theme.rowRadius
    color: Theme.surface
    border.color: Theme.accent
    opacity: 0.92
    Drag.active: ghost.visible
    Drag.source: ghost
    Drag.keys: ["application/x-quire-chat"]
    Drag.hotSpot.x: Theme.mirrored ? ghost.width - 16 : 16
    Drag.hotSpot.y: ghost.height / 2

    Caption {
        id: words

        anchors.fill: parent
        leftPadding: 12
        rightPadding: 12
        verticalAlignment: Text.AlignVCenter
    }
}
