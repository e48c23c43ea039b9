import QtQuick
import Quire
import Quire.Models

/// What the user wrote, in a bubble at the right; copy, edit and its versions under it.
BlockFrame {
    id: row

    required property ChatModel chat
    required property double messageId
    required property string text
    required property int version
    required property int versionCount
    readonly property real bubbleMax: row.columnWidth * 0.86

    indent: 0
    quoteDepth: 0
    gap: 22

    Item {
        width: parent.width
        height: bubble.height + 26

        HoverHandler { id: hover }
        Rectangle {
            id: bubble

            anchors.right: parent.right
            width: Math.min(message.implicitWidth + 28, row.bubbleMax)
            height: message.height + 20
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

                x: 14
                y: 10
                width: Math.min(implicitWidth, row.bubbleMax - 28)
                markup: row.chat.plainMarkup(row.text)
            }
        }
        Row {
            anchors.right: parent.right
            anchors.top: bubble.bottom
            anchors.topMargin: 2
            spacing: 2

            VersionSwitch {
                version: row.version
                versionCount: row.versionCount
                canSwitch: !row.chat.isGenerating
                onSwitched: step => row.chat.showVersion(row.messageId, step)
            }
            IconButton {
                width: 26
                height: 24
                opacity: hover.hovered || visualFocus ? 1 : 0
                iconName: "copy"
                iconSize: 14
                name: qsTr("Copy your message")
                onClicked: row.chat.copyMessage(row.messageId)
            }
            IconButton {
                width: 26
                height: 24
                opacity: (hover.hovered || visualFocus) && enabled ? 1 : 0
                enabled: !row.chat.isGenerating
                iconName: "edit"
                iconSize: 14
                name: qsTr("Edit into a new version")
                onClicked: row.chat.edit(row.messageId)
            }
        }
    }
}
