import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A part of a code block. Long code is several rows that look like one: the first has the header, and all scroll and
/// wrap together.
BlockFrame {
    id: block

    required property string text
    required property string language
    required property int part
    required property int codeState
    required property bool isLastPart
    required property bool isFolded
    required property string foldText
    required property BlockDisplay blockState
    required property bool isStreaming
    readonly property bool isEnd: block.isLastPart || block.isFolded
    readonly property bool wrapped: block.blockState?.wrapped ?? false

    gap: block.part > 0 ? 0 : block.isFirst ? 6 : 12

    CodeFrame {
        width: parent.width
        height: bar.height + code.height + fold.height + (block.isEnd ? 10 : 0)
        isTop: block.part === 0
        isBottom: block.isEnd

        CodeBar {
            id: bar

            visible: block.part === 0
            width: parent.width
            height: visible ? 34 : 0
            language: block.language
            lineCount: block.blockState?.lineCountText ?? ""
            wrapped: block.wrapped
            onWrapToggled: block.blockState.wrapped = !block.wrapped
            onCopyRequested: block.copyRequested(block.index)
        }
        Flickable {
            id: code

            objectName: "codeScroll"
            LayoutMirroring.enabled: false  // Code runs from left to right.
            LayoutMirroring.childrenInherit: true
            y: bar.height
            x: 14
            width: parent.width - 28
            height: source.height + (block.isEnd && contentWidth > width ? 10 : 0)
            contentWidth: block.wrapped ? width : Math.max(source.implicitWidth, block.blockState?.contentWidth ?? 0)
            contentHeight: source.height
            contentX: block.wrapped ? 0 : block.blockState?.scrollX ?? 0
            flickableDirection: Flickable.HorizontalFlick
            boundsBehavior: Flickable.StopAtBounds
            interactive: contentWidth > width
            clip: true
            onContentXChanged: if (block.blockState && !block.wrapped) block.blockState.scrollX = contentX

            CodeView {
                id: source

                width: block.wrapped ? code.width : implicitWidth
                wrapMode: block.wrapped ? TextEdit.WrapAtWordBoundaryOrAnywhere : TextEdit.NoWrap
                code: block.text
                language: block.language
                startState: block.codeState
                streaming: block.isStreaming
                onImplicitWidthChanged: block.blockState?.noteWidth(implicitWidth)
            }
            ScrollBar.horizontal: ScrollMark { visible: block.isEnd }
        }
        FoldButton {
            id: fold

            anchors.left: parent.left
            anchors.leftMargin: 8
            y: code.y + code.height
            visible: block.foldText !== ""
            height: visible ? implicitHeight : 0
            text: block.foldText
            onClicked: block.foldToggled(block.index)
        }
    }
}
