pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// Places a row of the conversation in the reading column, with a gap above, its indentation, and the bars of its
/// quotes.
Item {
    id: frame

    required property int index
    required property int indent
    required property int quoteDepth
    /// The text begins at the right: so do its indentation and the bars of its quotes.
    required property bool isRightToLeft
    required property bool isFirst
    /// Part of the model's reasoning: indented, beside a line, in a weaker colour.
    required property bool isThought
    property real gap: 10
    default property alias content: body.data
    readonly property real columnWidth: Math.min(Theme.columnWidth, frame.width - 2 * Theme.margin)
    readonly property real columnX: Math.round((frame.width - frame.columnWidth) / 2)
    readonly property real textInset: frame.indent * 22 + frame.quoteDepth * 16
    readonly property real thoughtInset: frame.isThought ? 22 : 0
    readonly property real inset: frame.textInset + frame.thoughtInset
    readonly property color textColor: frame.isThought || frame.quoteDepth > 0 ? Theme.ink2 : Theme.ink

    signal linkRequested(string link)
    signal copyRequested(int row)
    signal foldToggled(int row)

    width: ListView.view ? ListView.view.width : implicitWidth
    implicitHeight: body.childrenRect.height + frame.gap

    Line {
        visible: frame.isThought
        x: frame.columnX + (Theme.mirrored ? frame.columnWidth - 7 - width : 7)
        height: frame.height
    }
    Row {
        x: frame.isRightToLeft ? body.x + body.width + 13 : body.x - frame.quoteDepth * 16
        y: frame.gap
        spacing: 13

        Repeater {
            model: frame.quoteDepth

            Rectangle {
                width: 3
                height: body.height
                radius: 1
                color: Theme.line
            }
        }
    }
    Item {
        id: body

        x: frame.columnX + (frame.isRightToLeft ? 0 : frame.textInset) + (Theme.mirrored ? 0 : frame.thoughtInset)
        y: frame.gap
        width: frame.columnWidth - frame.inset
        height: childrenRect.height
    }
}
