import QtQuick
import Quire

/// A line of the window's own words.
Text {
    color: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.label
    textFormat: Text.PlainText
    elide: Text.ElideRight
}
