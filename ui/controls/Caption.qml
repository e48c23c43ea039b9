import QtQuick
import Quire

/// A text label; without wrapping it is elided.
Text {
    id: caption

    /// The line height as a multiple of the font size, so that lines with Chinese, Japanese or Korean letters are not
    /// higher than others; 0 uses the font's own line height.
    property real lineRatio: 0

    lineHeightMode: caption.lineRatio > 0 ? Text.FixedHeight : Text.ProportionalHeight
    lineHeight: caption.lineRatio > 0 ? Math.round(caption.lineRatio * caption.font.pixelSize) : 1
    // Of the window, not of the text: a label stands where the others do.
    horizontalAlignment: Text.AlignLeft
    color: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.label
    textFormat: Text.PlainText
    elide: caption.wrapMode === Text.NoWrap ? Text.ElideRight : Text.ElideNone
}
