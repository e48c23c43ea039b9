import QtQuick
import Quire
import Quire.Models

/// A message of a damaged store.
Item {
    id: row

    required property string heading
    required property string words
    readonly property real column: Math.min(Theme.columnWidth, row.width - 2 * Theme.margin)

    height: who.height + 6 + text.height

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
        y: who.height + 6
        width: row.column
        text: row.words
        wrapMode: TextEdit.Wrap
    }
}
