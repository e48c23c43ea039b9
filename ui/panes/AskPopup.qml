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

    background: Rectangle {
        color: Theme.surface
        radius: Theme.cardRadius
        border.color: Theme.line
    }
    contentItem: Column {
        spacing: 12

        Caption {
            width: popup.availableWidth
            text: popup.plan.problem === "" ? popup.plan.summary : popup.plan.problem
            color: popup.plan.problem === "" ? Theme.ink2 : Theme.warning
            font.pixelSize: Theme.small
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            lineHeight: 1.35
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        TextField {
            objectName: "askLadder"
            visible: popup.plan.isSeveral && popup.plan.kind === AskPlan.Temperatures
            width: popup.availableWidth
            text: popup.plan.ladder
            color: Theme.ink
            selectionColor: Theme.selection
            selectedTextColor: Theme.ink
            font.family: Theme.sans
            font.pixelSize: Theme.label
            Accessible.name: qsTr("Temperatures, one for each answer")
            onEditingFinished: popup.plan.editLadder(text)

            background: Rectangle {
                radius: Theme.rowRadius
                color: Theme.background
                border.color: parent.activeFocus ? Theme.accent : Theme.line
            }
        }
        Flow {
            visible: popup.plan.isSeveral && popup.plan.kind === AskPlan.Personas
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
        Caption {
            visible: popup.plan.isSeveral
            text: qsTr("Vary by")
            color: Theme.ink2
            font.pixelSize: Theme.small
        }
        Row {
            visible: popup.plan.isSeveral
            spacing: 4

            ChoiceButton {
                text: qsTr("Seed")
                checked: popup.plan.kind === AskPlan.Seeds
                onClicked: popup.plan.kind = AskPlan.Seeds
            }
            ChoiceButton {
                objectName: "askTemperatures"
                text: qsTr("Temperature")
                checked: popup.plan.kind === AskPlan.Temperatures
                onClicked: popup.plan.kind = AskPlan.Temperatures
            }
            ChoiceButton {
                text: qsTr("Persona")
                checked: popup.plan.kind === AskPlan.Personas
                onClicked: popup.plan.kind = AskPlan.Personas
            }
        }
        Caption {
            text: qsTr("Number of answers")
            font.weight: Font.DemiBold
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Row {
            spacing: 4

            Repeater {
                model: popup.plan.most

                ChoiceButton {
                    required property int index

                    objectName: "ask" + (index + 1)
                    width: 34
                    text: index + 1
                    checked: popup.plan.count === index + 1
                    onClicked: popup.plan.count = index + 1
                }
            }
        }
    }
}
