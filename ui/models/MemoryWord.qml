import QtQuick
import Quire

/// The legend of one part of a memory bar.
Row {
    id: word

    required property string text
    required property color tone
    property real strength: 1.0

    spacing: 6

    Rectangle {
        anchors.verticalCenter: parent.verticalCenter
        width: 8
        height: 8
        radius: Theme.dotRadius
        color: word.tone
        opacity: word.strength
    }
    Caption {
        text: word.text
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
}
