pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// The number of answers, and how they vary: by seed, temperature or persona. It grows upwards from the composer, so
/// that the first control stays under the pointer.
Popup {
    id: popup

    required property PersonaListModel personas
    required property AskPlan plan

    width: 340
    padding: 16
    focus: true

    background: CardFrame {}
    contentItem: Column {
        spacing: 12

        Caption {
            width: popup.availableWidth
            text: popup.plan.problem === "" ? popup.plan.summary : popup.plan.problem
            color: popup.plan.problem === "" ? Theme.ink2 : Theme.warning
            font.pixelSize: Theme.small
            wrapMode: Text.Wrap
            lineHeight: 1.35
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        TextBox {
            visible: popup.plan.asksTemperatures
            width: popup.availableWidth
            text: popup.plan.ladder
            name: qsTr("Temperatures, one for each answer")
            onCommitted: text => popup.plan.editLadder(text)
        }
        Flow {
            visible: popup.plan.asksPersonas
            width: popup.availableWidth
            spacing: 4

            Repeater {
                model: popup.personas

                ChoiceButton {
                    required property string name
                    required property double personaId

                    text: name
                    checked: popup.plan.chosenPersonas.includes("," + personaId + ",")
                    onClicked: popup.plan.togglePersona(personaId)
                }
            }
        }
        SmallText {
            anchors.left: parent.left
            visible: popup.plan.isSeveral
            text: qsTr("Vary by")
        }
        ChoiceRow {
            anchors.left: parent.left
            visible: popup.plan.isSeveral
            name: qsTr("Vary by")
            choices: [qsTr("Seed"), qsTr("Temperature"), qsTr("Persona")]
            current: popup.plan.kind
            onChosen: index => popup.plan.kind = index
        }
        Heading {
            anchors.left: parent.left
            text: qsTr("Number of answers")
        }
        ChoiceRow {
            anchors.left: parent.left
            name: qsTr("Number of answers")
            segmentName: "ask"
            choices: Array.from({length: popup.plan.most}, (value, index) => String(index + 1))
            current: popup.plan.count - 1
            onChosen: index => popup.plan.count = index + 1
        }
    }
}
