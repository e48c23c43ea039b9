pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The legend of the block map: colour, name and count of each kind of block.
GridLayout {
    id: key

    required property BlockMapModel map

    columns: 2
    columnSpacing: 12
    rowSpacing: 6

    Repeater {
        model: key.map.legend

        Item {
            id: entry

            required property int look
            required property string label
            required property string countText

            Layout.fillWidth: true
            Layout.preferredWidth: 1
            implicitHeight: 16
            Accessible.role: Accessible.StaticText
            Accessible.name: qsTr("%1: %2").arg(entry.label).arg(entry.countText)

            Dot {
                anchors.left: parent.left
                anchors.verticalCenter: parent.verticalCenter
                color: Theme.blockColors[entry.look]
            }
            SmallText {
                id: name

                anchors.verticalCenter: parent.verticalCenter
                anchors.left: parent.left
                anchors.leftMargin: 16
                width: Math.min(implicitWidth, parent.width - 16 - number.width - 6)
                text: entry.label
                Accessible.ignored: true
            }
            SmallText {
                id: number

                anchors.verticalCenter: parent.verticalCenter
                anchors.left: name.right
                anchors.leftMargin: 6
                text: entry.countText
                color: Theme.ink
                Accessible.ignored: true
            }
        }
    }
}
