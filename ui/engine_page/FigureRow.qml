import QtQuick
import Quire

/// A figure with its label.
Item {
    id: row

    required property string label
    required property string value
    required property string hint

    implicitHeight: 24
    Accessible.role: Accessible.StaticText
    Accessible.name: qsTr("%1: %2").arg(row.label).arg(row.value)
    Accessible.description: row.hint

    Caption {
        anchors.verticalCenter: parent.verticalCenter
        width: parent.width - figure.width - 8
        text: row.label
        color: Theme.ink2
        font.pixelSize: Theme.small
        Accessible.ignored: true
    }
    Caption {
        id: figure

        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        text: row.value
        font.weight: Font.Medium
        Accessible.ignored: true
    }
    HoverHandler { id: hover }
    Hint {
        over: hover.hovered
        text: row.hint
    }
}
