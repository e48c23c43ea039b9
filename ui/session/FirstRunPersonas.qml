pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Personas to choose on the first run.
Column {
    id: section

    required property FirstRun run

    visible: cards.count > 0
    spacing: 10

    SmallText {
        width: parent.width
        text: qsTr("Pick up to four personas to message at once")
        font.weight: Font.DemiBold
    }
    Grid {
        columns: 3
        spacing: 10

        Repeater {
            id: cards

            model: section.run

            PersonaCard {
                required property int index
                required property bool isChosen

                objectName: "firstRunPersona" + index
                width: (section.width - 20) / 3
                implicitHeight: 80
                checked: isChosen
                Accessible.role: Accessible.CheckBox
                Accessible.checked: isChosen
                onClicked: section.run.toggle(index)
            }
        }
    }
}
