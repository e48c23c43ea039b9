import QtQuick
import Quire

/// The focus ring of a control.
Rectangle {
    required property bool shown

    anchors.fill: parent
    anchors.margins: -Theme.focusWidth
    visible: shown
    color: "transparent"
    border.color: Theme.accent
    border.width: Theme.focusWidth
}
