import QtQuick
import Quire
import Quire.Models

/// A user's message in a bubble at the right, with copy, edit and versions below.
BlockFrame {
    id: row

    required property ChatModel chat
    required property double messageId
    required property string text
    required property int part
    required property bool isLastPart
    required property string foldText
    required property int version
    required property int versionCount
    readonly property real bubbleMax: row.columnWidth * 0.86

    signal fileOpened(AttachmentList files, int at)

    indent: 0
    quoteDepth: 0
    gap: row.part > 0 ? 0 : 22

    Item {
        width: parent.width
        height: bubble.y + bubble.height + (row.isLastPart ? 26 : 0)

        HoverHandler { id: hover }
        MessageState {
            id: messageState

            chat: row.chat
            messageId: row.messageId
        }
        AttachmentChips {
            id: chips

            anchors.right: parent.right
            maximumWidth: Math.min(row.bubbleMax, parent.width)
            width: chips.widestRow
            files: row.part === 0 ? row.chat.history.filesOf(row.messageId) : null
            onOpened: at => row.fileOpened(chips.files, at)
        }
        Rectangle {
            id: bubble

            visible: row.text !== ""
            y: chips.visible ? chips.height + 6 : 0
            anchors.right: parent.right
            width: row.part > 0 || row.foldText !== "" ? row.bubbleMax : Math.min(message.implicitWidth + 28, row.bubbleMax)
            height: visible ? message.height + (row.part === 0 ? 10 : 0) + (row.isLastPart ? 10 : 0) + fold.height : 0
            radius: Theme.bubbleRadius
            color: Theme.bubble

            Rectangle {
                anchors.right: parent.right
                anchors.bottom: parent.bottom
                width: Theme.bubbleRadius
                height: Theme.bubbleRadius
                radius: 4
                color: Theme.bubble
            }
            MarkupView {
                id: message

                x: row.isRightToLeft ? bubble.width - 14 - width : 14
                y: row.part === 0 ? 10 : 0
                width: Math.min(implicitWidth, row.bubbleMax - 28)
                markup: row.chat.plainMarkup(row.text)
                isRightToLeft: row.isRightToLeft
            }
            FoldButton {
                id: fold

                anchors.left: parent.left
                anchors.leftMargin: 6
                y: message.y + message.height + 4
                visible: row.foldText !== ""
                height: visible ? implicitHeight : 0
                text: row.foldText
                onClicked: row.foldToggled(row.index)
            }
        }
        Row {
            visible: row.isLastPart
            anchors.right: parent.right
            anchors.top: bubble.bottom
            anchors.topMargin: 2
            spacing: 2

            VersionSwitch {
                version: row.version
                versionCount: row.versionCount
                canSwitch: row.chat.turns.canChange
                onSwitched: step => row.chat.history.showVersion(row.messageId, step)
            }
            CopyMessageButton {
                opacity: hover.hovered || visualFocus || messageState.isCopied ? 1 : 0
                message: messageState
                what: qsTr("Copy message")
            }
            MessageButton {
                opacity: (hover.hovered || visualFocus) && enabled ? 1 : 0
                enabled: row.chat.turns.canChange
                iconName: "edit"
                name: qsTr("Edit as a new version")
                onClicked: row.chat.editor.edit(row.messageId)
            }
        }
    }
}
