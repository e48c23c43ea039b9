pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// The menu of a message.
AppMenu {
    id: menu

    required property MessageActions actions
    required property PersonaListModel personas

    function show(messageId: double): void {
        menu.actions.open(messageId) && menu.popup();
    }

    implicitWidth: 250

    AppMenuItem {
        text: qsTr("Copy")
        iconName: "copy"
        onTriggered: menu.actions.copy()
    }
    AppMenuItem {
        text: qsTr("Copy as Markdown")
        iconName: "copy"
        onTriggered: menu.actions.copyMarkdown()
    }
    AppMenuItem {
        text: qsTr("Copy with formatting")
        iconName: "copy"
        onTriggered: menu.actions.copyRich()
    }
    AppMenuItem {
        enabled: menu.actions.canChange
        text: menu.actions.isAnswer ? qsTr("Edit answer") : qsTr("Edit")
        iconName: "edit"
        onTriggered: menu.actions.edit()
    }
    AppMenuItem {
        enabled: menu.actions.canRegenerate
        text: qsTr("Regenerate")
        iconName: "regenerate"
        onTriggered: menu.actions.regenerate()
    }
    AppMenu {
        id: otherwise

        title: qsTr("Regenerate with")
        enabled: menu.actions.canRegenerate

        AppMenuItem {
            text: qsTr("Precise (temperature 0.2)")
            onTriggered: menu.actions.regenerateAt(0.2)
        }
        AppMenuItem {
            text: qsTr("Creative (temperature 1.2)")
            onTriggered: menu.actions.regenerateAt(1.2)
        }
        AppMenuItem {
            text: qsTr("Three answers side by side")
            onTriggered: menu.actions.regenerateSeveral(3)
        }
        Instantiator {
            model: menu.personas
            delegate: AppMenuItem {
                required property string name
                required property double personaId
                required property int colorIndex

                text: name
                dotColor: Theme.chatColor(colorIndex)
                onTriggered: menu.actions.regenerateAs(personaId)
            }
            onObjectAdded: (index, object) => otherwise.insertItem(3 + index, object)
            onObjectRemoved: (index, object) => otherwise.removeItem(object)
        }
    }
    AppMenuItem {
        enabled: menu.actions.canContinue
        text: qsTr("Continue")
        keyText: menu.actions.continueHint
        iconName: "continue"
        onTriggered: menu.actions.continueAnswer()
    }
    AppMenuItem {
        enabled: menu.actions.canFork
        text: qsTr("Fork from here")
        iconName: "fork"
        onTriggered: menu.actions.fork()
    }
    AppMenuItem {
        enabled: menu.actions.canChange
        text: qsTr("Delete")
        iconName: "trash"
        warns: true
        onTriggered: menu.actions.remove()
    }
}
