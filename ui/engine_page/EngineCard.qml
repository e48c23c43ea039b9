import QtQuick
import Quire

/// A card of the engine page: heading, figure, and content.
CardFrame {
    id: card

    required property string title
    property string note: ""
    property real spacing: 12
    default property alias content: body.data

    implicitHeight: body.y + body.height + 18
    Accessible.role: Accessible.Grouping
    Accessible.name: card.title

    Heading {
        id: heading

        anchors.left: parent.left
        anchors.leftMargin: 16
        y: 14
        width: parent.width - 48 - figure.width
        text: card.title
        wrapMode: Text.Wrap
    }
    SmallText {
        id: figure

        anchors.right: parent.right
        anchors.rightMargin: 16
        y: 15
        text: card.note
    }
    Column {
        id: body

        x: 16
        y: Math.max(42, heading.y + heading.height + 10)
        width: parent.width - 32
        spacing: card.spacing
    }
}
