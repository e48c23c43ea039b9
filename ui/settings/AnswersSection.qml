import QtQuick
import Quire
import Quire.Models

/// Sampling settings of the model in use, for chats and personas without their own.
SettingsCard {
    id: section

    required property AppModel app

    heading: qsTr("Answers")

    Caption {
        visible: !section.app.settings.canSetGeneration
        width: parent.width
        text: qsTr("Load a model to set how it answers.")
        color: Theme.ink2
        wrapMode: Text.Wrap
        elide: Text.ElideNone
    }
    GenerationSection {
        visible: section.app.settings.canSetGeneration
        width: parent.width
        heading: section.app.settings.generationHeading
        editor: section.app.settings.generation
    }
}
