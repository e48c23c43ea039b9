import QtQuick
import Quire
import Quire.Models

/// Copies a message as Markdown. Its icon is a tick for a moment after the message was copied, here, in the menu or by a
/// key.
MessageButton {
    id: button

    required property ChatModel chat
    required property double messageId
    required property string what
    readonly property bool isCopied: button.chat.history.copiedMessage === button.messageId

    iconName: button.isCopied ? "check" : "copy"
    ink: button.isCopied ? Theme.accent : button.hovered || button.visualFocus ? Theme.ink : Theme.ink2
    name: button.isCopied ? qsTr("Copied") : button.what
    onClicked: button.chat.history.copyMarkdown(button.messageId)
}
