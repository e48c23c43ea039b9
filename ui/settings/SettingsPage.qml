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
    AnswersSection { settings: page.app.settings }
    EngineSection {
        engine: page.app.engine
        engineSettings: page.app.models.engineSettings
        navigation: page.app.navigation
        settings: page.app.settings
    }
    StorageSection { settings: page.app.settings; transfer: page.app.transfer }
    PrivacySection {}
    AboutSection { settings: page.app.settings }
}
