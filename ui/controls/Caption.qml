import QtQuick
import Quire

/// A text label; without wrapping it is elided.
Text {
    id: caption

    /// A line's height in sizes of the font, the same whichever font brings the letters (those of Chinese, Japanese
    /// and Korean have more room above and below); 0 leaves it to the font.
    property real lineRatio: 0

    lineHeightMode: caption.lineRatio > 0 ? Text.FixedHeight : Text.ProportionalHeight
    lineHeight: caption.lineRatio > 0 ? Math.round(caption.lineRatio * caption.font.pixelSize) : 1
    color: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.label
    textFormat: Text.PlainText
    elide: caption.wrapMode === Text.NoWrap ? Text.ElideRight : Text.ElideNone
}
