pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Layouts
import Quire

/// A table in an answer; wide ones scroll by themselves.
BlockFrame {
    id: block

    required property list<string> cells
    required property int columns
    required property bool isFirst

    signal linkRequested(string link)

    gap: block.isFirst ? 6 : 12

    Rectangle {
        width: Math.min(parent.width, grid.implicitWidth + 2)
        height: scroll.height + 2
        radius: Theme.cardRadius
        color: "transparent"
        border.color: Theme.line

        Flickable {
            id: scroll

            x: 1
            y: 1
            width: parent.width - 2
            height: grid.implicitHeight
            contentWidth: grid.implicitWidth
            contentHeight: grid.implicitHeight
            flickableDirection: Flickable.HorizontalFlick
            boundsBehavior: Flickable.StopAtBounds
            interactive: contentWidth > width
            clip: true

            GridLayout {
                id: grid

                columns: Math.max(1, block.columns)
                columnSpacing: 0
                rowSpacing: 0

                Repeater {
                    model: block.cells

                    TableCell {
                        required property int index
                        required property string modelData

                        markup: modelData
                        isHead: index < block.columns
                        maximumTextWidth: Math.max(90, block.columnWidth / Math.max(1, block.columns) - 24)
                        onLinkRequested: link => block.linkRequested(link)
                    }
                }
            }
            ScrollBar.horizontal: ScrollMark {}
        }
    }
}
