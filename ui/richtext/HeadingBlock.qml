import QtQuick
import Quire

/// A heading inside an answer.
BlockFrame {
    id: block

    required property string markup
    required property int level
    required property bool isStreaming

    gap: block.isFirst ? 6 : 20

    MarkupView {
        width: parent.width
        markup: block.markup
        isRightToLeft: block.isRightToLeft
        alignsTogether: block.textInset > 0
        streaming: block.isStreaming
        color: block.textColor
        lineHeight: block.level === 1 ? 28 : 24
        font.pixelSize: block.level === 1 ? 20 : block.level === 2 ? 17 : Theme.large
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
        onLinkRequested: link => block.linkRequested(link)
    }
}
