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

    Rectangle {
        y: 5
        width: 8
        height: 8
        radius: Theme.dotRadius
        color: entry.colorIndex < 0 ? Theme.ink3 : Theme.chatColor(entry.colorIndex)
    }
    Caption {
        x: 16
        width: parent.width - 16 - time.width - 12
        text: entry.title
        font.weight: Font.Medium
        Accessible.ignored: true
    }
    Caption {
        id: time

        anchors.right: parent.right
        y: 1
        text: entry.firstTokenText
        color: Theme.ink2
        font.pixelSize: Theme.small
        Accessible.ignored: true
    }
    Caption {
        id: words

        x: 16
        y: 20
        width: parent.width - 16
        text: entry.story
        color: Theme.ink2
        font.pixelSize: Theme.small
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        lineRatio: 1.7
        Accessible.ignored: true
    }
}
