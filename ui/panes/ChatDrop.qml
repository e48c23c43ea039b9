import QtQuick
import Quire

/// Accepts a chat that is dragged from the sidebar.
DropTarget {
    id: area

    signal chatDropped(double id)

    keys: ["application/x-quire-chat"]
    onDropped: drop => area.chatDropped((drop.source as DraggedChat).chatId)
}
