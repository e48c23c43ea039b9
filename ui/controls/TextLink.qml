import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A link within a line of text.
AbstractButton {
    id: link

    required property string name

    hoverEnabled: true
    padding: 0
    Accessible.name: link.name
    Accessible.role: Accessible.Button

    contentItem: Caption {
        text: link.text
        color: Theme.accent
        font.pixelSize: Theme.small
        font.underline: link.hovered
        font.weight: Font.Medium
    }
    background: Item {
        FocusFrame { shown: link.visualFocus; radius: 4 }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
}
