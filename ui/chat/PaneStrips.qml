pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// What a chat has to say at the bottom of its pane: its notice, and the offer to undo a deletion. Screen readers hear
/// from here that a message was copied.
Column {
    id: strips

    required property ChatModel chat

    spacing: 8
    bottomPadding: 8

    Notice {
        width: parent.width
        text: strips.chat.notice
        onDismissed: strips.chat.dismissNotice()
    }
    Repeater {
        model: strips.chat.history.undoText === "" ? 0 : 1

        UndoToast {
            objectName: "messageUndoToast"
            actionName: "messageUndoButton"
            x: (strips.width - width) / 2
            text: strips.chat.history.undoText
            onUndone: strips.chat.history.undoRemoval()
        }
    }
    Item {
        objectName: "copiedMessage"
        Accessible.role: Accessible.AlertMessage
        Accessible.name: strips.chat.history.copiedText
        Accessible.ignored: strips.chat.history.copiedText === ""
    }
}
