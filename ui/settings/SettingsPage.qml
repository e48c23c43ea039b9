import QtQuick
import Quire
import Quire.Models

/// All settings, by section.
PageFrame {
    id: page

    required property AppModel app

    objectName: "settingsPage"
    contentMaximum: 760
    title: qsTr("Settings")
    subtitle: qsTr("Changes are marked and can be reset.")

    AppearanceSection { appearance: page.app.appearance }
    NotificationSection { notifier: page.app.notifier }
    SettingsCard {
        heading: qsTr("Answers")

        Caption {
            visible: !page.app.settings.canSetGeneration
            width: parent.width
            text: qsTr("Load a model to set how it answers.")
            color: Theme.ink2
            wrapMode: Text.Wrap
        }
        GenerationSection {
            visible: page.app.settings.canSetGeneration
            heading: page.app.settings.generationHeading
            editor: page.app.settings.generation
        }
    }
    EngineSection {
        engine: page.app.engine
        engineSettings: page.app.models.engineSettings
        navigation: page.app.navigation
        settings: page.app.settings
    }
    ServerSection { server: page.app.server }
    StorageSection { settings: page.app.settings; transfer: page.app.transfer }
    SettingsCard {
        heading: qsTr("Privacy")

        Caption {
            width: parent.width
            text: qsTr("What you write stays on this computer: models run here, chats are stored here, and Quire sends no "
                + "statistics and checks for no updates. Only a chat with a model on another machine goes there, and says so. "
                + "Searches for models and downloads go to Hugging Face or Ollama's registry, and only when you start them. "
                + "While the API server is on, programs that have its key can use your models, but not read your chats. "
                + "Links in answers open in your browser, after you agree.")
            wrapMode: Text.Wrap
            lineRatio: 1.75
        }
    }
    SettingsCard {
        heading: qsTr("About")

        SettingRow {
            label: page.app.settings.versionText
            help: page.app.settings.systemText
        }
        SettingRow {
            label: qsTr("Licence")
            help: qsTr("Quire is free software under the Apache License 2.0. It is built on Qt (LGPL 3), SQLite (public domain), "
                + "md4c and nlohmann/json (MIT), and the fonts Inter and JetBrains Mono (SIL Open Font License).")
        }
    }
}
