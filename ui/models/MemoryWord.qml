import QtQuick
import Quire

/// The legend of one part of a memory bar.
Row {
    id: word

    required property string text
    required property color tone
    property real strength: 1.0

    spacing: 6

    Dot {
        anchors.verticalCenter: parent.verticalCenter
        color: word.tone
        opacity: word.strength
    }
    SmallText {
        text: word.text
    }
}
