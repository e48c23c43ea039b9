pragma ComponentBehavior: Bound
import QtQuick
import Qt.labs.qmlmodels
import Quire
import Quire.Models

/// What shows the rows of a timeline, by their kind.
DelegateChooser {
    id: delegates

    required property ChatModel chat
    required property TimelineModel timeline
    required property AttachmentReader reader
    required property real tallestEditor  ///< The most that the text of an edited message may take of the view.

    signal menuRequested(double messageId)
    signal linkRequested(string link)
    signal modelsRequested()

    role: "kind"

    DelegateChoice {
        roleValue: TimelineModel.User
        UserMessage {
            chat: delegates.chat
            onFoldToggled: row => delegates.timeline.toggleFold(row)
            onFileOpened: (files, at) => delegates.reader.open(files, at)
        }
    }
    DelegateChoice {
        roleValue: TimelineModel.Paragraph
        ParagraphBlock { onLinkRequested: link => delegates.linkRequested(link) }
    }
    DelegateChoice {
        roleValue: TimelineModel.Heading
        HeadingBlock { onLinkRequested: link => delegates.linkRequested(link) }
    }
    DelegateChoice {
        roleValue: TimelineModel.Code
        CodeBlock {
            onCopyRequested: row => delegates.timeline.copySource(row)
            onFoldToggled: row => delegates.timeline.toggleFold(row)
        }
    }
    DelegateChoice {
        roleValue: TimelineModel.Table
        TableBlock {
            onLinkRequested: link => delegates.linkRequested(link)
            onCopyRequested: row => delegates.timeline.copyTable(row)
        }
    }
    DelegateChoice {
        roleValue: TimelineModel.Rule
        RuleBlock {}
    }
    DelegateChoice {
        roleValue: TimelineModel.Formula
        FormulaBlock {
            onCopyRequested: row => delegates.timeline.copySource(row)
        }
    }
    DelegateChoice {
        roleValue: TimelineModel.Thought
        ThoughtBlock { onFoldToggled: row => delegates.timeline.toggleFold(row) }
    }
    DelegateChoice {
        roleValue: TimelineModel.Footer
        AnswerFooter {
            chat: delegates.chat
            onMenuRequested: id => delegates.menuRequested(id)
            onModelsRequested: delegates.modelsRequested()
        }
    }
    DelegateChoice {
        roleValue: TimelineModel.Editor
        MessageEditorRow {
            editor: delegates.chat.editor
            tallest: delegates.tallestEditor
            onFileOpened: at => delegates.reader.open(delegates.chat.editor.files, at)
        }
    }
}
