pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Figures with their labels, in one column or several.
Grid {
    id: column

    required property FigureList figures

    columnSpacing: 32
    columns: 1
    flow: Grid.LeftToRight

    Repeater {
        model: column.figures

        Item {
            id: row

            required property string label
            required property string value
            required property string hint

            width: (column.width - (column.columns - 1) * column.columnSpacing) / column.columns
            height: Math.max(24, words.height + 6)
            Accessible.role: Accessible.StaticText
            Accessible.name: qsTr("%1: %2").arg(row.label).arg(row.value)
            Accessible.description: row.hint

            SmallText {
                id: words

                anchors.left: parent.left
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width - figure.width - 8
                text: row.label
                wrapMode: Text.Wrap
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
            Hint { over: hover.hovered; text: row.hint }
        }
    }
}
