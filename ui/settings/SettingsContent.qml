import QtQuick
import Quire
import Quire.Models

/// The cards of all sections, of which the search shows some.
Column {
    id: content

    required property AppModel app
    required property SettingsSearch search

    spacing: 24

    EmptyNote {
        width: parent.width
        text: content.search.findsNothing ? qsTr("Try another word, in English or in Korean.") : ""
    }
    AppearanceSection { search: content.search; appearance: content.app.appearance }
    SettingsCard {
        search: content.search
        section: "answers"
        heading: qsTr("Answers")

        Caption {
            visible: !content.app.settings.canSetGeneration
            width: parent.width
            text: qsTr("Load a model to set how it answers.")
            color: Theme.ink2
            wrapMode: Text.Wrap
        }
        GenerationSection {
            visible: content.app.settings.canSetGeneration
            search: content.search
            heading: content.app.settings.generationHeading
            editor: content.app.settings.generation
        }
    }
    NotificationSection { search: content.search; notifier: content.app.notifier }
    EngineSection {
        search: content.search
        engine: content.app.engine
        engineSettings: content.app.models.engineSettings
        navigation: content.app.navigation
        settings: content.app.settings
    }
    ServerSection { search: content.search; server: content.app.server }
    StorageSection {
        search: content.search
        settings: content.app.settings
        transfer: content.app.transfer
    }
    SettingsCard {
        search: content.search
        section: "privacy"
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
        search: content.search
        section: "about"
        heading: qsTr("About")

        SettingRow {
            search: content.search
            setting: "shortcuts"
            label: qsTr("Keyboard shortcuts")
            help: qsTr("All keys of Quire, by group.")

            ActionButton {
                objectName: "showShortcuts"
                text: qsTr("Show")
                onClicked: content.app.navigation.page = Navigation.Shortcuts
            }
        }
        SettingRow {
            search: content.search
            setting: "version"
            label: content.app.settings.versionText
            help: content.app.settings.systemText
        }
        SettingRow {
            search: content.search
            setting: "licence"
            label: qsTr("Licence")
            help: qsTr("Quire is free software under the Apache License 2.0. It is built on Qt (LGPL 3), SQLite (public domain), "
                + "md4c and nlohmann/json (MIT), and the fonts Inter, JetBrains Mono and STIX Math (SIL Open Font License).")
        }
    }
}
