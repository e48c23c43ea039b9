import QtQuick
import Quire
import Quire.Models

/// Syntax-highlighted, selectable code.
TextEdit {
    id: view

    required property string code
    required property string language
    property int startState: 0
    required property bool streaming
    /// Where the text ends, while it grows there.
    property rect end

    function moveMark(): void {
        view.end = view.positionToRectangle(view.length);
    }

    readOnly: true
    selectByMouse: true
    textFormat: TextEdit.PlainText
    color: Theme.ink
    selectionColor: Theme.selection
    selectedTextColor: Theme.ink
    font.family: Theme.mono
    font.pixelSize: Theme.label
    onTextChanged: if (view.streaming) view.moveMark()
    onWidthChanged: if (view.streaming) view.moveMark()
    onContentHeightChanged: if (view.streaming) view.moveMark()  // Line heights are set after the text.
    onStreamingChanged: if (view.streaming) view.moveMark()
    Accessible.role: Accessible.StaticText
    Accessible.name: view.code

    Loader {
        active: view.streaming
        x: view.end.x + 1
        y: view.end.y + (view.end.height - height) / 2
        sourceComponent: StreamMark {}
    }
    CodeText {
        document: view.textDocument
        code: view.code
        language: view.language
        startState: view.startState
        lineHeight: Theme.codeLine
        keywordColor: Theme.codeKeyword
        callColor: Theme.codeCall
        literalColor: Theme.codeLiteral
        commentColor: Theme.ink2
    }
}
