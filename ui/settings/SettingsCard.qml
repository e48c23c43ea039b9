import QtQuick
import Quire

/// A card with the settings of one section.
Column {
    id: card

    required property string heading
    default property alias content: body.data

    width: parent ? parent.width : 0
    spacing: 10
    topPadding: 8

    Heading {
        text: card.heading
        font.pixelSize: Theme.large
    }
    CardFrame {
        width: card.width
        height: body.implicitHeight + 40

        Column {
            id: body

            x: 20
            y: 20
            width: parent.width - 40
            spacing: 22
        }
    }
}
