import QtQuick
import Quire

/// The bar at the edge of a row that is current: its fill alone would be too faint to see.
Rectangle {
    required property bool shown

    anchors.left: parent?.left
    anchors.verticalCenter: parent?.verticalCenter
    visible: shown
    width: 3
    height: 18
    radius: 1
    color: Theme.accent
}
