import QtQuick
import Quire

/// A message of a damaged store.
Item {
    id: row

    required property string heading
    required property string words
    readonly property real column: Math.min(Theme.columnWidth, row.width - 2 * Theme.margin)

    height: who.height + 6 + text.height

    Caption {
        id: who

        x: text.x
        text: row.heading
        color: Theme.ink2
        font.pixelSize: Theme.small
        font.weight: Font.DemiBold
    }
    TextEdit {
        id: text

        x: Math.round((row.width - row.column) / 2)
        y: who.height + 6
        width: row.column
        text: row.words
        textFormat: TextEdit.PlainText
        wrapMode: TextEdit.Wrap
        readOnly: true
        selectByMouse: true
        color: Theme.ink
        selectionColor: Theme.selection
        selectedTextColor: Theme.ink
        font.family: Theme.sans
        font.pixelSize: Theme.text
        Accessible.role: Accessible.StaticText
        Accessible.name: row.words
    }
}
