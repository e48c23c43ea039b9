import QtQuick
import Quire
import Quire.Models

/// The block map on the engine page.
EngineCard {
    id: card

    required property BlockMapModel map

    title: qsTr("Cache blocks")
    note: card.map.isEmpty ? "" : qsTr("%1 in use").arg(card.map.countText)

    SmallText {
        width: parent.width
        text: card.map.isEmpty ? card.map.summary
            : qsTr("Each square is a block of cache memory. Select one to see its text.")
        wrapMode: Text.Wrap
        lineRatio: 1.7
    }
    BlockMap {
        id: blockMap

        width: parent.width
        map: card.map
        largestSquare: 14
        maximumHeight: 360
    }
    SmallText {
        anchors.left: parent.left
        visible: text !== ""
        text: blockMap.scaleText
    }
    BlockReader {
        width: parent.width
        map: card.map
    }
    BlockKey {
        width: parent.width
        visible: !card.map.isEmpty
        columns: card.width > 760 ? 4 : 2
        map: card.map
    }
    Caption {
        visible: text !== ""
        width: parent.width
        text: card.map.savingsText
        font.pixelSize: Theme.small
        wrapMode: Text.Wrap
    }
}
