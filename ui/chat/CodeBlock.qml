import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// Code in an answer: its language, a way to copy it, and long lines that scroll by themselves.
BlockFrame {
    id: block

    required property string text
    required property string language
    required property bool isFirst
    required property bool isStreaming

    signal copyRequested(string text)

    gap: block.isFirst ? 6 : 12

    Rectangle {
        width: parent.width
        height: bar.height + code.height + 10
        radius: Theme.cardRadius
        color: Theme.code
        border.color: Theme.line

        Item {
            id: bar

            width: parent.width
            height: 34

            Caption {
                anchors.verticalCenter: parent.verticalCenter
                x: 14
                text: block.language
                color: Theme.ink2
                font.pixelSize: Theme.tiny
            }
            CopyButton {
                anchors.verticalCenter: parent.verticalCenter
                anchors.right: parent.right
                anchors.rightMargin: 6
                onClicked: block.copyRequested(block.text)
            }
        }
        Flickable {
            id: code

            y: bar.height
            x: 14
            width: parent.width - 28
            height: source.height + (contentWidth > width ? 10 : 0)
            contentWidth: source.implicitWidth
            contentHeight: source.height
            flickableDirection: Flickable.HorizontalFlick
            boundsBehavior: Flickable.StopAtBounds
            interactive: contentWidth > width
            clip: true

            TextEdit {
                id: source

                readonly property rect end: source.positionToRectangle(source.length + 0 * (source.contentHeight + source.contentWidth))

                readOnly: true
                selectByMouse: true
                textFormat: TextEdit.PlainText
                wrapMode: TextEdit.NoWrap
                color: Theme.ink
                selectionColor: Theme.selection
                selectedTextColor: Theme.ink
                font.family: Theme.mono
                font.pixelSize: Theme.label
                Accessible.role: Accessible.StaticText
                Accessible.name: block.text

                StreamMark {
                    visible: block.isStreaming
                    x: source.end.x + 1
                    y: source.end.y + (source.end.height - height) / 2
                }
                CodeText {
                    document: source.textDocument
                    code: block.text
                    language: block.language
                    lineHeight: Theme.codeLine
                    keywordColor: Theme.codeKeyword
                    callColor: Theme.codeCall
                    literalColor: Theme.codeLiteral
                    commentColor: Theme.ink2
                }
            }
            ScrollBar.horizontal: ScrollMark {}
        }
    }
}
