import QtQuick
import Quire
import Quire.Models

/// Inline text of an answer: selectable; links are confirmed before they are opened.
SelectableText {
    id: view

    required property string markup
    property real lineHeight: Theme.textLine
    /// What the text is a part of runs from right to left.
    property bool isRightToLeft: Theme.mirrored
    /// All paragraphs stand at the same side, whatever their own direction is.
    property bool alignsTogether: false

    signal linkRequested(string link)

    activeFocusOnPress: true
    wrapMode: TextEdit.Wrap
    endsRightToLeft: content.endsRightToLeft
    Accessible.role: Accessible.Paragraph
    Accessible.name: content.plainText
    onLinkActivated: link => view.linkRequested(link)
    Keys.onPressed: event => {
        event.accepted = event.matches(StandardKey.Copy) && view.selectedText !== "";
        if (event.accepted)
            content.copy(view.selectionStart, view.selectionEnd);
    }

    FormulaLayer {
        anchors.fill: parent
        markup: content
        color: view.color
    }
    MarkupText {
        id: content

        document: view.textDocument
        markup: view.markup
        lineHeight: view.lineHeight
        isRightToLeft: view.isRightToLeft
        alignsTogether: view.alignsTogether
        textSize: view.font.pixelSize
        codeFamily: Theme.mono
        // At the same size, the letters of the monospaced font are larger.
        codeSize: Math.round(0.93 * view.font.pixelSize)
        codeBackground: Theme.code
        linkColor: Theme.accent
    }
}
