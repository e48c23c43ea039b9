import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A display formula as readable text; copying copies its source.
BlockFrame {
    id: block

    required property string markup
    required property string text
    required property bool isStreaming

    gap: block.isFirst ? 6 : 12

    Item {
        width: parent.width
        height: scroll.height

        HoverHandler { id: hover }
        Flickable {
            id: scroll

            x: 16
            width: parent.width - 16 - copy.width
            height: formula.height + 4 + (contentWidth > width ? 10 : 0)
            contentWidth: formula.implicitWidth
            contentHeight: height
            flickableDirection: Flickable.HorizontalFlick
            boundsBehavior: Flickable.StopAtBounds
            interactive: contentWidth > width
            clip: true

            MarkupView {
                id: formula

                y: 2
                wrapMode: TextEdit.NoWrap
                markup: block.markup
                streaming: block.isStreaming
                color: block.textColor
                font.family: Theme.mono
                Accessible.name: block.text
                onLinkRequested: link => block.linkRequested(link)
            }
            ScrollBar.horizontal: ScrollMark {}
        }
        CopyButton {
            id: copy

            anchors.right: parent.right
            y: -1
            opacity: hover.hovered || visualFocus ? 1 : 0
            what: qsTr("Copy formula source")
            onClicked: block.copyRequested(block.index)
        }
    }
}
