import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Layouts
import Quire
import Quire.Models

/// A message that is edited where it stands. Return saves, Shift+Return breaks the line, Escape cancels.
BlockFrame {
    id: row

    required property MessageEditor editor
    /// The most that the text may take of the view.
    required property real tallest

    signal fileOpened(int at)

    function focusText(): void {
        area.forceActiveFocus();
        area.cursorPosition = area.length;
    }

    objectName: "messageEditor"
    indent: 0
    quoteDepth: 0
    gap: 22
    // 26 is the height of the buttons below a message, so that the next row keeps its distance.
    implicitHeight: frame.height + row.gap + 26

    Rectangle {
        id: frame

        width: parent.width
        height: column.height + 20
        radius: Theme.bubbleRadius
        color: Theme.surface
        border.width: 2
        border.color: area.activeFocus ? Theme.accent : Theme.ink3

        ColumnLayout {
            id: column

            x: 10
            y: 10
            width: parent.width - 20
            spacing: 8

            AttachmentChips {
                Layout.fillWidth: true
                files: row.editor.files
                removable: true
                onOpened: at => row.fileOpened(at)
            }
            Flickable {
                id: scroll

                Layout.fillWidth: true
                Layout.preferredHeight: Math.min(area.implicitHeight, row.tallest)
                contentHeight: area.implicitHeight
                boundsBehavior: Flickable.StopAtBounds
                clip: true
                interactive: contentHeight > height

                TextArea.flickable: TextArea {
                    id: area

                    readonly property ParagraphDirection direction: ParagraphDirection { field: area }

                    objectName: "editedText"
                    leftPadding: 6
                    rightPadding: 6
                    topPadding: 2
                    bottomPadding: 2
                    wrapMode: TextEdit.Wrap
                    textFormat: TextEdit.PlainText
                    text: row.editor.text
                    color: Theme.ink
                    selectionColor: Theme.selection
                    selectedTextColor: Theme.ink
                    font.family: Theme.sans
                    font.pixelSize: Theme.text
                    background: null
                    Accessible.name: row.editor.isAnswer ? qsTr("Edit answer") : qsTr("Edit message")
                    onTextChanged: row.editor.text = area.text
                    Keys.onTabPressed: area.nextItemInFocusChain().forceActiveFocus(Qt.TabFocusReason)
                    Keys.onBacktabPressed: area.nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                    Keys.onPressed: event => event.accepted = event.matches(StandardKey.Paste)
                        ? row.editor.pasteFiles() : row.editor.handleKey(event.key, event.modifiers, area.inputMethodComposing)
                }
                ScrollBar.vertical: ScrollMark {}
            }
            RowLayout {
                Layout.fillWidth: true
                spacing: 8

                SmallText {
                    objectName: "editNote"
                    Layout.fillWidth: true
                    Layout.leftMargin: 6
                    text: row.editor.note
                    color: row.editor.warns ? Theme.warning : Theme.ink2
                    wrapMode: Text.Wrap
                    Accessible.role: row.editor.warns ? Accessible.AlertMessage : Accessible.StaticText
                    Accessible.name: text
                }
                ActionButton {
                    objectName: "cancelEdit"
                    focusPolicy: Qt.TabFocus
                    text: qsTr("Cancel")
                    onClicked: row.editor.cancel()
                }
                ActionButton {
                    objectName: "saveEdit"
                    focusPolicy: Qt.TabFocus
                    primary: true
                    enabled: row.editor.canSave
                    text: row.editor.saveText
                    onClicked: row.editor.save()
                }
            }
        }
    }
}
