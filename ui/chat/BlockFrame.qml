pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// Places a row of the conversation in the reading column, with room above it, its depth in lists and
/// quotes, and the bars of its quotes.
Item {
    id: frame

    required property int indent
    required property int quoteDepth
    property real gap: 10
    default property alias content: body.data
    readonly property real columnWidth: Math.min(Theme.columnWidth, frame.width - 2 * Theme.margin)

    width: ListView.view ? ListView.view.width : implicitWidth
    implicitHeight: body.childrenRect.height + frame.gap

    Row {
        x: body.x - frame.quoteDepth * 16
        y: frame.gap
        spacing: 13

        Repeater {
            model: frame.quoteDepth

            Rectangle {
                width: 3
                height: body.childrenRect.height
                radius: 1
                color: Theme.line
            }
        }
    }
    Item {
        id: body

        x: Math.round((frame.width - frame.columnWidth) / 2) + frame.indent * 22 + frame.quoteDepth * 16
        y: frame.gap
        width: frame.columnWidth - frame.indent * 22 - frame.quoteDepth * 16
        height: childrenRect.height
    }
}
