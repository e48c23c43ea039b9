pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A row of a table. The rows of one table share their column widths and scroll position.
BlockFrame {
    id: block

    required property list<string> cells
    required property int columns
    required property int part
    required property BlockDisplay blockState
    required property bool isLastPart
    /// How far the table can be scrolled, and where it is from its beginning.
    readonly property real scrollRange: Math.max(0, scroll.contentWidth - scroll.width)
    readonly property real scrollX: block.blockState ? block.blockState.scrollX : 0
    readonly property bool isHead: block.part === 0
    readonly property real maximumCell: Math.max(124, (block.columnWidth - block.inset) / Math.max(1, block.columns))

    gap: !block.isHead ? 0 : block.isFirst ? 6 : 12

    Item {
        width: parent.width
        height: scroll.height

        HoverHandler { id: hover }
        CodeFrame {
            x: scroll.x
            width: Math.min(parent.width, line.width)
            height: scroll.height
            isTop: block.isHead
            isBottom: block.isLastPart
            color: "transparent"
        }
        Flickable {
            id: scroll

            x: block.isRightToLeft ? parent.width - width : 0
            width: Math.min(parent.width, line.width)
            height: line.height + (block.isLastPart && contentWidth > width ? 10 : 0)
            contentWidth: line.width
            contentHeight: height
            contentX: block.isRightToLeft ? block.scrollRange - block.scrollX : block.scrollX
            flickableDirection: Flickable.HorizontalFlick
            boundsBehavior: Flickable.StopAtBounds
            interactive: contentWidth > width
            clip: true
            onContentXChanged: if (block.blockState) block.blockState.scrollX = block.isRightToLeft ? block.scrollRange - contentX : contentX

            Row {
                id: line

                LayoutMirroring.enabled: block.isRightToLeft
                LayoutMirroring.childrenInherit: true

                Repeater {
                    model: block.columns

                    TableCell {
                        required property int index

                        markup: block.cells[index] ?? ""
                        isHead: block.isHead
                        isRightToLeft: block.isRightToLeft
                        color: block.textColor
                        wantedWidth: Math.min((block.blockState?.columnWidths[index] ?? 40) * Theme.textScale, block.maximumCell - 24)
                        onLinkRequested: link => block.linkRequested(link)
                    }
                }
            }
            ScrollBar.horizontal: ScrollMark { visible: block.isLastPart }
        }
        CopyButton {
            x: block.isRightToLeft ? 0 : parent.width - width
            y: 3
            visible: block.isHead
            opacity: hover.hovered || visualFocus || isDone ? 1 : 0
            what: qsTr("Copy table")
            onClicked: block.copyRequested(block.index)
        }
    }
}
