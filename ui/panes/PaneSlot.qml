pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// A place of the grid, with the pane of its chat, and where a chat can be dropped.
Item {
    id: slot

    required property AppModel app
    required property bool isOpen
    required property Item grid
    required property PaneSlots paneSlots
    required property int index
    required property int pane
    required property ChatModel chat
    required property bool isFocused
    required property bool isShown
    required property bool isKept
    required property bool isLeaving
    required property rect place
    readonly property real begin: Math.round(slot.place.x * slot.grid.width)
    readonly property real end: Math.round(slot.place.right * slot.grid.width)
    readonly property PaneListModel panes: slot.app.panes
    readonly property bool isGone: slot.isLeaving && loader.isEmpty

    visible: slot.isShown
    x: Theme.mirrored ? slot.grid.width - slot.end : slot.begin
    y: Math.round(slot.place.y * slot.grid.height)
    width: slot.end - slot.begin
    height: Math.round(slot.place.bottom * slot.grid.height) - slot.y
    onIsGoneChanged: slot.isGone && slot.paneSlots.release(slot.index)

    function finish(): void {
        loader.finish();
    }

    LazyLoader {
        id: loader

        anchors.fill: parent
        isOpen: slot.isOpen
        isWanted: slot.isShown && slot.width > 0  // Not before it has a size.
        isKept: slot.isKept
        delegate: Component {
            ChatPane {
                app: slot.app
                chat: slot.chat
                isFocused: slot.isFocused
                isSplit: slot.panes.isSplit
                hasEdge: slot.place.right < 1
                hasLowerEdge: slot.place.bottom < 1
                onFocusRequested: slot.panes.focusedPane = slot.pane
                onCloseRequested: slot.panes.closePane(slot.pane)
            }
        }
    }
    ChatDrop {
        anchors.fill: parent
        text: qsTr("Open here")
        onChatDropped: id => slot.app.navigation.openChatIn(id, slot.pane)
    }
}
