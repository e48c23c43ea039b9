import QtQuick
import Quire

/// A line of text with the matches in bold. Only view models that escape it may fill it.
Text {
    textFormat: Text.StyledText
    color: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.label
    elide: Text.ElideRight
    maximumLineCount: 1
}
