import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// What the colours of the block map mean, with counts.
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
