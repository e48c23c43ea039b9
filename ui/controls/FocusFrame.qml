import QtQuick
import Quire

/// Shows which control the keyboard is at.
Rectangle {
    required property bool shown

    anchors.fill: parent
    anchors.margins: -2
    visible: shown
    color: "transparent"
    border.color: Theme.accent
    border.width: 2
}
