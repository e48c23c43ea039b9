pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The command palette: finds chats, messages and commands.
ModalPopup {
    id: card

    required property QuickOpen quick

    x: Math.round((parent.width - width) / 2)
    y: Math.round(parent.height * 0.14)
    width: Math.min(640, parent.width - 40)
    height: Math.min(card.implicitContentHeight, parent.height * 0.68)
    visible: card.quick.isOpen
    onClosed: card.quick.close()

    contentItem: QuickOpenContent { quick: card.quick }
}
