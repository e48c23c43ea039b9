pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// The menu of a message.
AppMenu {
    id: menu

    required property ChatModel chat
    required property PersonaListModel personas
    property double messageId: 0

    function show(messageId: double): void {
        menu.messageId = 0;
        menu.messageId = menu.chat.history.messageOrLast(messageId);
        menu.messageId !== 0 && menu.openAtPointer();
    }

    objectName: "messageMenu"

    MessageState {
        id: messageState

        chat: menu.chat
        messageId: menu.messageId
    }
    AppMenuItem {
        objectName: "copySelection"
        visible: !menu.chat.selection.isEmpty
        height: visible ? implicitHeight : 0
        text: qsTr("Copy selection")
        keyText: qsTr("Ctrl+C")
        iconName: "copy"
        onTriggered: menu.chat.selection.copy()
    }
    AppMenuItem {
        text: qsTr("Copy")
        iconName: "copy"
        onTriggered: menu.chat.history.copy(menu.messageId)
    }
    AppMenuItem {
        text: qsTr("Copy as Markdown")
        iconName: "copy"
        onTriggered: menu.chat.history.copyMarkdown(menu.messageId)
    }
    AppMenuItem {
        text: qsTr("Copy with formatting")
        iconName: "copy"
        onTriggered: menu.chat.history.copyRich(menu.messageId)
    }
    AppMenuItem {
        enabled: menu.chat.turns.canChange
        text: menu.chat.history.isAnswer(menu.messageId) ? qsTr("Edit answer") : qsTr("Edit")
        iconName: "edit"
        onTriggered: menu.chat.editor.edit(menu.messageId)
    }
    AppMenuItem {
        enabled: menu.chat.turns.canRegenerate
        text: qsTr("Regenerate")
        iconName: "regenerate"
        onTriggered: menu.chat.turns.regenerate(menu.messageId)
    }
    AppMenu {
        id: otherwise

        title: qsTr("Regenerate with")
        enabled: menu.chat.turns.canRegenerate

        AppMenuItem {
            text: qsTr("Precise (temperature 0.2)")
            onTriggered: menu.chat.turns.regenerateAt(menu.messageId, 0.2)
        }
        AppMenuItem {
            text: qsTr("Creative (temperature 1.2)")
            onTriggered: menu.chat.turns.regenerateAt(menu.messageId, 1.2)
        }
        AppMenuItem {
            text: qsTr("Three answers side by side")
            onTriggered: menu.chat.turns.regenerateSeveral(menu.messageId, 3)
        }
        Instantiator {
            model: menu.personas
            delegate: AppMenuItem {
                required property string name
                required property double personaId
                required property int colorIndex

                text: name
                dotColor: Theme.chatColor(colorIndex)
                onTriggered: menu.chat.turns.regenerateAs(menu.messageId, personaId)
            }
            onObjectAdded: (index, object) => otherwise.insertItem(3 + index, object)
            onObjectRemoved: (index, object) => otherwise.removeItem(object)
        }
    }
    AppMenuItem {
        enabled: messageState.canContinue
        text: qsTr("Continue")
        keyText: menu.chat.history.isComplete(menu.messageId) ? qsTr("complete") : ""
        iconName: "continue"
        onTriggered: menu.chat.turns.continueAnswer(menu.messageId)
    }
    AppMenuItem {
        objectName: "forkMessage"
        enabled: menu.chat.history.canFork(menu.messageId)
        text: qsTr("Fork from here")
        iconName: "fork"
        onTriggered: menu.chat.history.fork(menu.messageId)
    }
    AppMenuItem {
        objectName: "answerDetails"
        enabled: menu.chat.history.isAnswer(menu.messageId)
        text: qsTr("Details")
        iconName: "engine"
        onTriggered: menu.chat.history.showDetails(menu.messageId)
    }
    AppMenuItem {
        enabled: menu.chat.turns.canChange
        text: qsTr("Delete")
        iconName: "trash"
        warns: true
        onTriggered: menu.chat.history.remove(menu.messageId)
    }
}
