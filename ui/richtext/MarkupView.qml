import QtQuick
import Quire
import Quire.Models

/// Inline text of an answer: selectable; links are confirmed before they are opened.
TextEdit {
    id: view

    required property string markup
    property real lineHeight: Theme.textLine
    property int blockAlignment: 0
    property bool streaming: false
    /// Where the text ends, while it grows there.
    property rect end

    signal linkRequested(string link)

    function moveMark(): void {
        view.end = view.positionToRectangle(view.length);
    }

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
    onTextChanged: if (view.streaming) view.moveMark()
    onWidthChanged: if (view.streaming) view.moveMark()
    onContentHeightChanged: if (view.streaming) view.moveMark()  // Line heights are set after the text.
    onStreamingChanged: if (view.streaming) view.moveMark()
    Accessible.role: Accessible.Paragraph
    Accessible.name: view.getText(0, view.length)
    onLinkActivated: link => view.linkRequested(link)

    MarkupText {
        document: view.textDocument
        markup: view.markup
        lineHeight: view.lineHeight
        alignment: view.blockAlignment
        codeFamily: Theme.mono
        // Its letters are larger than those of the text at the same size.
        codeSize: Math.round(0.93 * view.font.pixelSize)
        codeBackground: Theme.code
        linkColor: Theme.accent
    }
    Loader {
        active: view.streaming
        x: view.end.x + 1
        y: view.end.y + (view.end.height - height) / 2
        sourceComponent: StreamMark {}
    }
}
