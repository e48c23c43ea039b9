import QtQuick
import Quire

/// A model that Quire recommends, with its size and licence, and Download.
CardFrame {
    id: card

    required property string title
    required property string summary
    required property string facts
    required property bool canGet
    required property string getText

    signal getWanted()

    implicitHeight: column.height + 28
    Accessible.role: Accessible.Grouping
    Accessible.name: card.title

    Column {
        id: column

        x: 14
        y: 14
        width: parent.width - 28
        spacing: 6

        Caption {
            width: parent.width
            text: card.title
            font.weight: Font.DemiBold
        }
        SmallText {
            width: parent.width
            height: Math.round(3 * 1.5 * font.pixelSize)
            text: card.summary
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            maximumLineCount: 3
            lineRatio: 1.5
        }
        SmallText {
            width: parent.width
            height: Math.round(2 * 1.5 * font.pixelSize)
            text: card.facts
            color: Theme.ink
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            maximumLineCount: 2
            lineRatio: 1.5
        }
        ActionButton {
            objectName: "getOffer"
            width: parent.width
            enabled: card.canGet
            text: card.getText
            Accessible.name: card.canGet ? qsTr("Download %1").arg(card.title) : card.getText
            onClicked: card.getWanted()
        }
    }
}
