import QtQuick
import Quire

/// A paragraph of an answer, or an item of a list with its marker.
BlockFrame {
    id: block

    required property string markup
    required property string marker
    required property bool isStreaming
    required property bool isJoined

    gap: block.isJoined ? 0 : block.isFirst ? 6 : block.marker === "" ? 10 : 4

    Caption {
        visible: block.marker !== ""
        x: block.isRightToLeft ? parent.width + 7 : -width - 7
        y: 2
        height: Theme.textLine
        verticalAlignment: Text.AlignVCenter
        text: block.marker
        color: Theme.ink2
        font.pixelSize: Theme.text
        elide: Text.ElideNone
    }
    MarkupView {
        width: parent.width
        markup: block.markup
        isRightToLeft: block.isRightToLeft
        alignsTogether: block.textInset > 0
        streaming: block.isStreaming
        color: block.textColor
        onLinkRequested: link => block.linkRequested(link)
    }
}
