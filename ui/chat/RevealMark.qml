import QtQuick
import Quire
import Quire.Models

/// Scrolls to a message from the search and highlights it for a moment.
Rectangle {
    id: mark

    required property ListView list
    required property ChatModel chat
    required property TailFollower follower

    function show(): void {
        const row = mark.chat.history.revealedRow();
        if (row < 0)
            return;
        mark.follower.letGo();
        mark.list.positionViewAtIndex(row, ListView.Beginning);
        mark.list.forceLayout();
        mark.list.positionViewAtIndex(row, ListView.Beginning);  // Again, now that the heights are known.
        mark.frame(mark.list.itemAtIndex(row));
        mark.chat.history.endReveal();
    }
    function frame(item: Item): void {
        mark.y = item.y;
        mark.height = item.height;
        fade.restart();
    }

    parent: mark.list.contentItem
    objectName: "revealMark"
    z: -1
    width: mark.list.width
    color: Theme.selection
    opacity: 0
    Accessible.ignored: true

    // Deferred until the list has processed the changes of its model.
    Timer {
        interval: 0
        running: mark.chat.history.canReveal
        onTriggered: mark.show()
    }
    SequentialAnimation {
        id: fade

        NumberAnimation { target: mark; property: "opacity"; to: 1; duration: Theme.motion }
        PauseAnimation { duration: 900 }
        NumberAnimation { target: mark; property: "opacity"; to: 0; duration: 4 * Theme.motion; easing.type: Easing.OutCubic }
    }
}
