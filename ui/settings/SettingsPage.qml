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

    AppearanceSection { width: parent.width; app: page.app }
    AnswersSection { width: parent.width; app: page.app }
    EngineSection { width: parent.width; app: page.app }
    StorageSection { width: parent.width; settings: page.app.settings; transfer: page.app.transfer }
    PrivacySection { width: parent.width }
    AboutSection { width: parent.width; settings: page.app.settings }
}
