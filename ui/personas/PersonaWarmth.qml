import QtQuick
import Quire

/// How much of a persona is cached, and how many chats share it.
Column {
    id: warmth

    required property bool isWarm
    required property bool isPinned
    required property string warmthText
    required property string usageText

    spacing: 3

    Row {
        anchors.left: parent.left
        spacing: 7

        Dot {
            visible: warmth.warmthText !== ""
            anchors.verticalCenter: parent.verticalCenter
            color: warmth.isWarm ? Theme.warm : "transparent"
            border.width: warmth.isWarm ? 0 : 1
            border.color: Theme.ink3
        }
        SmallText {
            text: warmth.warmthText
            font.weight: Font.Medium
        }
        Caption {
            visible: warmth.isPinned
            text: qsTr("kept ready")
            color: Theme.accent
            font.pixelSize: Theme.small
        }
    }
    SmallText {
        width: parent.width
        text: warmth.usageText
    }
}
