import QtQuick
import Quire

/// A persona's icon on a tint of its colour.
Rectangle {
    id: badge

    required property string iconName
    required property int colorIndex
    property int iconSize: 18
    readonly property color tint: Theme.chatColor(badge.colorIndex)

    width: 34
    height: 34
    radius: 10
    color: Qt.rgba(badge.tint.r, badge.tint.g, badge.tint.b, 0.14)
    Accessible.ignored: true

    Icon {
        anchors.centerIn: parent
        iconName: badge.iconName
        width: badge.iconSize
        height: badge.iconSize
        color: badge.tint
    }
}
