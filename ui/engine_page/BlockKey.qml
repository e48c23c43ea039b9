import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The legend of the block map, with counts.
GridLayout {
    id: key

    required property BlockMapModel map

    columns: 2
    columnSpacing: 12
    rowSpacing: 6

    Repeater {
        model: key.map.legend

        BlockKeyEntry {
            Layout.fillWidth: true
            Layout.preferredWidth: 1
        }
    }
}
