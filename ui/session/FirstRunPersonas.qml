pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The first personas, of which several can be chosen for as many chats.
Column {
    id: section

    required property FirstRun run

    spacing: 10

    TinyText {
        width: parent.width
        text: qsTr("Pick up to four personas to message at once")
        font.weight: Font.DemiBold
    }
    Grid {
        anchors.left: parent.left
        columns: section.width > 480 ? 3 : 2
        spacing: 10

        Repeater {
            model: section.run

            PersonaCard {
                required property int index
                required property bool isChosen

                objectName: "firstRunPersona" + index
                width: section.width > 480 ? (section.width - 20) / 3 : (section.width - 10) / 2
                checked: isChosen
                Accessible.role: Accessible.CheckBox
                Accessible.checked: isChosen
                onClicked: section.run.toggle(index)
            }
        }
    }
    Flow {
        width: parent.width
        topPadding: 4
        spacing: 8

        ActionButton {
            objectName: "firstRunTogether"
            primary: true
            enabled: section.run.canTalkTogether
            text: section.run.togetherText
            onClicked: section.run.startTogether()
        }
        ActionButton {
            objectName: "firstRunAlone"
            text: qsTr("One persona")
            onClicked: section.run.unpick()
        }
    }
}
