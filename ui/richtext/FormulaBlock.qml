pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A displayed formula; copying copies its source. One that is too large to be typeset is shown as its source.
BlockFrame {
    id: block

    required property string text
    required property bool isStreaming

    gap: block.isFirst ? 6 : 12

    Item {
        width: parent.width
        height: scroll.height

        HoverHandler { id: hover }
        Flickable {
            id: scroll

            LayoutMirroring.enabled: false  // Formulas run from left to right.
            LayoutMirroring.childrenInherit: true
            x: block.isRightToLeft ? parent.width - 16 - width : 16
            width: parent.width - 16 - copy.width
            height: Math.max(Theme.textLine, content.height) + 4 + (contentWidth > width ? 10 : 0)
            contentWidth: content.width
            contentHeight: height
            flickableDirection: Flickable.HorizontalFlick
            boundsBehavior: Flickable.StopAtBounds
            interactive: contentWidth > width
            clip: contentWidth > width

            Item {
                id: content

                x: block.isRightToLeft ? Math.max(0, scroll.width - width) : 0
                y: 2
                width: formula.isTypeset ? formula.implicitWidth + (block.isStreaming ? 12 : 0) : scroll.width
                height: formula.isTypeset ? formula.implicitHeight : source.implicitHeight
                Accessible.role: Accessible.StaticText
                Accessible.name: block.text

                FormulaView {
                    id: formula

                    objectName: "formula"
                    source: block.text
                    textSize: Theme.text
                    streaming: block.isStreaming
                    color: block.textColor
                }
                SelectableText {
                    id: source

                    visible: !formula.isTypeset
                    width: scroll.width
                    wrapMode: TextEdit.WrapAtWordBoundaryOrAnywhere
                    text: visible ? block.text : ""
                    color: block.textColor
                    font.family: Theme.mono
                    font.pixelSize: Theme.label
                }
                StreamMark {
                    visible: block.isStreaming
                    x: formula.implicitWidth + 4
                    anchors.verticalCenter: parent.verticalCenter
                }
            }
            ScrollBar.horizontal: ScrollMark {}
        }
        CopyButton {
            id: copy

            x: block.isRightToLeft ? 0 : parent.width - width
            y: -1
            opacity: hover.hovered || visualFocus || isDone ? 1 : 0
            what: qsTr("Copy formula source")
            onClicked: block.copyRequested(block.index)
        }
    }
}
