import QtQuick
import Quire
import Quire.Models

/// A message of a damaged store, or a further piece of it, which has no heading.
Item {
    id: row

    required property string heading
    required property string words
    readonly property real column: Math.min(Theme.columnWidth, row.width - 2 * Theme.margin)

    readonly property real textTop: row.heading.length > 0 ? who.height + 6 : 0

    height: row.textTop + text.height

    SmallText {
        id: who

        anchors.left: text.left
        text: row.heading
        font.weight: Font.DemiBold
    }
    SelectableText {
        id: text

        readonly property ParagraphDirection direction: ParagraphDirection { field: text }

        x: Math.round((row.width - row.column) / 2)
        y: row.textTop
        width: row.column
        text: row.words
        wrapMode: TextEdit.Wrap
    }
}
