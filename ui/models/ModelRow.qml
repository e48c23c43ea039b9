import QtQuick
import Quire
import Quire.Models

/// A card of the list, with the heading of its section above the first.
Item {
    id: row

    required property ModelCard card
    required property ModelLibrary library
    required property real columnX
    required property real columnWidth
    required property string section
    required property bool begins

    width: ListView.view.width
    height: tile.y + tile.height + 8

    Heading {
        visible: row.begins
        x: row.columnX
        y: 20
        width: row.columnWidth
        text: row.section
        color: Theme.ink2
        font.pixelSize: Theme.small
        elide: Text.ElideMiddle
    }
    ModelTile {
        id: tile

        x: row.columnX
        y: row.begins ? 46 : 0
        width: row.columnWidth
        card: row.card
        library: row.library
    }
}
