import QtQuick
import Quire
import Quire.Models

/// Inline text of an answer: selectable, links are asked about before they are opened.
TextEdit {
    id: view

    required property string markup
    property real lineHeight: Theme.textLine
    property int blockAlignment: 0
    property bool streaming: false
    /// Where the text ends. It moves with the layout, of which the position itself does not tell.
    readonly property rect end: view.positionToRectangle(view.length + 0 * (view.width + view.contentHeight + view.implicitWidth))

    signal linkRequested(string link)

    readOnly: true
    selectByMouse: true
    activeFocusOnPress: true
    wrapMode: TextEdit.Wrap
    textFormat: TextEdit.PlainText
    color: Theme.ink
    selectionColor: Theme.selection
    selectedTextColor: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.text
    Accessible.role: Accessible.Paragraph
    Accessible.name: view.getText(0, view.length)
    onLinkActivated: link => view.linkRequested(link)

    MarkupText {
        document: view.textDocument
        markup: view.markup
        lineHeight: view.lineHeight
        alignment: view.blockAlignment
        codeFamily: Theme.mono
        codeBackground: Theme.code
        linkColor: Theme.accent
    }
    StreamMark {
        visible: view.streaming
        x: view.end.x + 1
        y: view.end.y + (view.end.height - height) / 2
    }
    HoverHandler {
        enabled: view.hoveredLink !== ""
        cursorShape: Qt.PointingHandCursor
    }
}
