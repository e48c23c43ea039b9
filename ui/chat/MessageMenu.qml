pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// What can be done with a message.
QuietMenu {
    id: menu

    required property MessageActions actions
    required property PersonaListModel personas

    function show(messageId: double): void {
        menu.actions.open(messageId) && menu.popup();
    }

    implicitWidth: 250

    QuietMenuItem {
        text: qsTr("Copy")
        iconName: "copy"
        onTriggered: menu.actions.copy()
    }
    QuietMenuItem {
        text: qsTr("Copy as Markdown")
        iconName: "copy"
        onTriggered: menu.actions.copyMarkdown()
    }
    QuietMenuItem {
        text: qsTr("Copy with formatting")
        iconName: "copy"
        onTriggered: menu.actions.copyRich()
    }
    QuietMenuItem {
        enabled: menu.actions.canChange
        text: menu.actions.isAnswer ? qsTr("Edit the answer") : qsTr("Edit")
        iconName: "edit"
        onTriggered: menu.actions.edit()
    }
    QuietMenuItem {
        enabled: menu.actions.canRegenerate
        text: qsTr("Answer again")
        iconName: "regenerate"
        onTriggered: menu.actions.regenerate()
    }
    QuietMenu {
        id: otherwise

        title: qsTr("Answer again with")
        enabled: menu.actions.canRegenerate

        QuietMenuItem {
            text: qsTr("A steady hand (temperature 0.2)")
            onTriggered: menu.actions.regenerateAt(0.2)
        }
        QuietMenuItem {
            text: qsTr("A free hand (temperature 1.2)")
            onTriggered: menu.actions.regenerateAt(1.2)
        }
        QuietMenuItem {
            text: qsTr("Three answers side by side")
            onTriggered: menu.actions.regenerateSeveral(3)
        }
        Instantiator {
            model: menu.personas
            delegate: QuietMenuItem {
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
    QuietMenuItem {
        enabled: menu.actions.canContinue
        text: qsTr("Go on with it")
        keyText: menu.actions.continueHint
        iconName: "continue"
        onTriggered: menu.actions.continueAnswer()
    }
    QuietMenuItem {
        enabled: menu.actions.canFork
        text: qsTr("Fork from here")
        iconName: "fork"
        onTriggered: menu.actions.fork()
    }
    QuietMenuItem {
        enabled: menu.actions.canChange
        text: qsTr("Delete")
        iconName: "trash"
        warns: true
        onTriggered: menu.actions.remove()
    }
}
