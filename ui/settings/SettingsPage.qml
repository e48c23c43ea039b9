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

    AppearanceSection { width: parent.width; appearance: page.app.appearance }
    AnswersSection { width: parent.width; settings: page.app.settings }
    EngineSection {
        width: parent.width
        engine: page.app.engine
        engineSettings: page.app.models.engineSettings
        navigation: page.app.navigation
        settings: page.app.settings
    }
    StorageSection { width: parent.width; settings: page.app.settings; transfer: page.app.transfer }
    PrivacySection { width: parent.width }
    AboutSection { width: parent.width; settings: page.app.settings }
}
