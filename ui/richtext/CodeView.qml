import QtQuick
import Quire
import Quire.Models

/// Syntax-highlighted, selectable code.
SelectableText {
    id: view

    required property string code
    required property string language
    property int startState: 0

    horizontalAlignment: TextEdit.AlignLeft
    font.family: Theme.mono
    font.pixelSize: Theme.label
    Accessible.name: view.code

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
