pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// Chooses the persona of a chat.
AppMenu {
    id: menu

    required property PersonaListModel personas
    required property ChatModel target

    Instantiator {
        model: menu.personas
        delegate: AppMenuItem {
            required property string name
            required property double personaId
            required property int colorIndex

            text: name
            dotColor: Theme.chatColor(colorIndex)
            checked: menu !== null && menu.target.personaId === personaId
            onTriggered: menu.target.setPersona(personaId)
        }
        onObjectAdded: (index, object) => menu.insertItem(index, object)
        onObjectRemoved: (index, object) => menu.removeItem(object)
    }
    AppMenuItem {
        text: qsTr("No persona")
        dotColor: Theme.ink3
        checked: !menu.target.hasPersona
        onTriggered: menu.target.setPersona(0)
    }
}
