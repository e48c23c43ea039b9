import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// The message field. Return sends, Shift+Return breaks the line, Escape stops.
Rectangle {
    id: composer

    required property PersonaListModel personas
    required property ComposerModel model
    required property EngineStatus engine

    function focusText(): void {
        area.forceActiveFocus();
        if (composer.model.isOffered)
            area.selectAll();
        else if (area.selectedText === "" && area.cursorPosition === 0)
            area.cursorPosition = area.length;
    }

    /// Inserts what was typed while no text field had the focus; false if the key types no text.
    function takeText(text: string, modifiers: int): bool {
        if (!composer.model.isTyping(text, modifiers))
            return false;
        composer.focusText();
        area.remove(area.selectionStart, area.selectionEnd);
        area.insert(area.cursorPosition, text);
        return true;
    }

    /// Unlike a new draft, this can be undone and moves the cursor.
    function replaceText(begin: int, end: int, text: string): void {
        area.remove(begin, end);
        area.insert(begin, text);
    }

    implicitHeight: scroll.y + scroll.height + bar.height + 16
    radius: Theme.bubbleRadius
    color: Theme.surface
    border.width: area.activeFocus ? Theme.focusWidth : 1
    border.color: area.activeFocus ? Theme.accent : Theme.line

    AttachmentChips {
        id: chips

        x: 12
        y: 12
        width: parent.width - 24
        files: composer.model.files
        removable: true
        onOpened: row => composer.model.reader.open(composer.model.files, row)
    }
    Flickable {
        id: scroll

        readonly property real eightLines: 8 * Theme.textLine + 12
        /// At least the height of a Korean line, so that the field does not grow with the first Korean letter.
        readonly property real textHeight: Math.max(area.contentHeight, 1.5 * Theme.text) + area.topPadding + area.bottomPadding

        x: 2
        y: chips.visible ? chips.y + chips.height + 4 : 6
        width: parent.width - 4
        height: Math.min(scroll.textHeight, scroll.eightLines)
        contentHeight: scroll.textHeight
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        // The text area scrolls to its cursor before its padding is set, which would give a negative offset.
        onContentYChanged: scroll.contentY = Math.max(0, scroll.contentY)

        TextArea.flickable: TextArea {
            id: area

            readonly property PlainPlaceholder plainHint: PlainPlaceholder { field: area }
            readonly property bool isEmpty: area.length === 0
            readonly property ParagraphDirection direction: ParagraphDirection { field: area }

            objectName: "composerText"
            leftPadding: 14
            rightPadding: 14
            topPadding: 7
            bottomPadding: 2
            // The cursor of an empty field stands at its hint; texts stand where they begin.
            horizontalAlignment: area.isEmpty ? TextEdit.AlignLeft : undefined
            wrapMode: TextEdit.Wrap
            textFormat: TextEdit.PlainText
            text: composer.model.draft
            placeholderText: composer.model.hint
            placeholderTextColor: Theme.ink2
            color: Theme.ink
            selectionColor: Theme.selection
            selectedTextColor: Theme.ink
            font.family: Theme.sans
            font.pixelSize: Theme.text
            background: null
            Accessible.name: qsTr("Your message")
            onTextChanged: composer.model.write(area.text, area.cursorPosition)
            onCursorPositionChanged: composer.model.slash.follow(area.text, area.cursorPosition)
            Keys.onTabPressed: composer.model.slash.handleKey(Qt.Key_Tab, Qt.NoModifier) || area.nextItemInFocusChain().forceActiveFocus(Qt.TabFocusReason)
            Keys.onBacktabPressed: area.nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
            Keys.onPressed: event => event.accepted = event.matches(StandardKey.Paste)
                ? composer.model.pasteFiles()
                : !area.inputMethodComposing && composer.model.slash.handleKey(event.key, event.modifiers)
                || composer.model.handleKey(event.key, event.modifiers, area.inputMethodComposing)
        }
        ScrollBar.vertical: ScrollMark {}
    }
    SlashMenuView {
        anchors.left: parent.left
        anchors.bottom: parent.top
        anchors.bottomMargin: 6
        width: Math.min(420, parent.width)
        menu: composer.model.slash
        onReplaced: (begin, end, text) => composer.replaceText(begin, end, text)
    }
    ComposerBar {
        id: bar

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        anchors.margins: 10
        personas: composer.personas
        model: composer.model
        engine: composer.engine
    }
}
