import QtQuick
import Quire

/// A key combination.
Rectangle {
    id: cap

    property alias text: words.text

    implicitWidth: words.implicitWidth + 16
    implicitHeight: 24
    radius: 6
    color: Theme.bubble
    border.color: Theme.line

    Caption {
        id: words

        anchors.centerIn: parent
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
}
