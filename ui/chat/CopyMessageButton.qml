import QtQuick
import Quire
import Quire.Models

/// Copies a message as Markdown. Its icon is a tick for a moment after the message was copied, here, in the menu or by a
/// key.
MessageButton {
    id: button

    required property MessageState message
    required property string what

    iconName: button.message.isCopied ? "check" : "copy"
    ink: button.message.isCopied ? Theme.accent : button.hovered || button.visualFocus ? Theme.ink : Theme.ink2
    name: button.message.isCopied ? qsTr("Copied") : button.what
    onClicked: button.message.chat.history.copyMarkdown(button.message.messageId)
}
