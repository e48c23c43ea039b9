import QtQuick
import Quire

/// An entry of the legend: colour, name and count.
Item {
    id: entry

    required property int look
    required property string label
    required property string countText

    implicitHeight: 16
    Accessible.role: Accessible.StaticText
    Accessible.name: qsTr("%1: %2").arg(entry.label).arg(entry.countText)

    Rectangle {
        id: square

        anchors.verticalCenter: parent.verticalCenter
        width: 8
        height: 8
        radius: 2
        color: Theme.blockColors[entry.look]
    }
    Caption {
        id: name

        anchors.verticalCenter: parent.verticalCenter
        x: 16
        width: Math.min(implicitWidth, parent.width - 16 - number.width - 6)
        text: entry.label
        color: Theme.ink2
        font.pixelSize: Theme.small
        Accessible.ignored: true
    }
    Caption {
        id: number

        anchors.verticalCenter: parent.verticalCenter
        x: name.x + name.width + 6
        text: entry.countText
        font.pixelSize: Theme.small
        Accessible.ignored: true
    }
}
