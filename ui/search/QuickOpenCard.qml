pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Controls
import Quire
import Quire.Models

/// The command palette: finds chats, messages and commands.
Popup {
    id: card

    required property QuickOpen quick

    parent: Overlay.overlay
    x: Math.round((parent.width - width) / 2)
    y: Math.round(parent.height * 0.14)
    width: Math.min(640, parent.width - 40)
    height: Math.min(card.implicitContentHeight, parent.height * 0.68)
    padding: 0
    modal: !fade.running
    closePolicy: fade.running ? Popup.NoAutoClose : Popup.CloseOnEscape | Popup.CloseOnPressOutside
    focus: true
    visible: card.quick.isOpen
    onClosed: card.quick.close()
    Overlay.modal: Rectangle { color: Theme.scrim }
    background: Rectangle {
        radius: Theme.bubbleRadius
        color: Theme.surface
        border.color: Theme.line
    }
    enter: Transition {
        NumberAnimation { property: "opacity"; from: 0; to: 1; duration: Theme.motion }
    }
    exit: Transition {
        id: fade

        NumberAnimation { property: "opacity"; to: 0; duration: Theme.motion }
    }

    contentItem: QuickOpenContent { quick: card.quick }
}
