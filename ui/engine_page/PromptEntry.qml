import QtQuick
import Quire

/// A recent prompt: its chat, time to first token, and the reason for it.
Item {
    id: entry

    required property string title
    required property int colorIndex
    required property string firstTokenText
    required property string story

    implicitHeight: words.y + words.height
    Accessible.role: Accessible.ListItem
    Accessible.name: qsTr("%1, %2. %3").arg(entry.title).arg(entry.firstTokenText).arg(entry.story)

    Dot {
        anchors.left: parent.left
        y: 5
        color: entry.colorIndex < 0 ? Theme.ink3 : Theme.chatColor(entry.colorIndex)
    }
    Caption {
        anchors.left: parent.left
        anchors.leftMargin: 16
        width: parent.width - 16 - time.width - 12
        text: entry.title
        font.weight: Font.Medium
        Accessible.ignored: true
    }
    SmallText {
        id: time

        anchors.right: parent.right
        y: 1
        text: entry.firstTokenText
        Accessible.ignored: true
    }
    SmallText {
        id: words

        anchors.left: parent.left
        anchors.leftMargin: 16
        y: 20
        width: parent.width - 16
        text: entry.story
        wrapMode: Text.Wrap
        lineRatio: 1.7
        Accessible.ignored: true
    }
}
