import QtQuick
import Quire
import Quire.Models

/// Sampling settings of the model in use, for chats and personas without their own.
SettingsCard {
    id: section

    required property SettingsModel settings

    heading: qsTr("Answers")

    Caption {
        visible: !section.settings.canSetGeneration
        width: parent.width
        text: qsTr("Load a model to set how it answers.")
        color: Theme.ink2
        wrapMode: Text.Wrap
    }
    GenerationSection {
        visible: section.settings.canSetGeneration
        heading: section.settings.generationHeading
        editor: section.settings.generation
    }
}
