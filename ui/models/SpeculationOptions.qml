import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The options for speculation: whether a model's next tokens are guessed, and by which draft model.
Column {
    id: view

    required property ModelOptions options

    spacing: 14

    ModelOptionRow {
        title: qsTr("Guess ahead")
        help: qsTr("Guesses the next words to answer faster. Answers are the same.")
        defaultText: view.options.speculationChoices[0]
        isSet: view.options.speculationIsSet
        onReset: view.options.speculationIndex = 0

        AppComboBox {
            objectName: "speculationChoice"
            Layout.fillWidth: true
            name: qsTr("Guess ahead")
            model: view.options.speculationChoices
            currentIndex: view.options.speculationIndex
            onChosen: index => view.options.speculationIndex = index
        }
    }
    ModelOptionRow {
        visible: view.options.offersDrafts
        title: qsTr("Draft model")
        help: qsTr("A smaller model of the same family that also guesses. Uses additional memory.")
        defaultText: view.options.draftChoices[0]
        isSet: view.options.draftIsSet
        onReset: view.options.draftIndex = 0

        AppComboBox {
            objectName: "draftChoice"
            Layout.fillWidth: true
            name: qsTr("Draft model")
            model: view.options.draftChoices
            currentIndex: view.options.draftIndex
            onChosen: index => view.options.draftIndex = index
        }
    }
}
