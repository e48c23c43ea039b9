import QtQuick
import Quire

/// A link within a line of text.
BaseButton {
    id: link

    property string name: link.text

    padding: 0
    radius: 2
    fill: "transparent"
    Accessible.name: link.name

    contentItem: SmallText {
        text: link.text
        color: Theme.accent
        font.underline: link.hovered
        font.weight: Font.Medium
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
}
