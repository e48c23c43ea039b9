import QtQuick
import Quire
import Quire.Models

/// Theme, text size and language.
SettingsCard {
    id: section

    required property AppModel app
    readonly property list<string> themes: ["system", "light", "dark"]

    heading: qsTr("Appearance")

    SettingRow {
        width: parent.width
        label: qsTr("Theme")
        help: qsTr("Light, dark, or the same as the system.")
        defaultText: qsTr("Default: System")
        changed: section.app.themeChoice !== "system"
        onResetRequested: section.app.themeChoice = "system"

        AppComboBox {
            objectName: "themeSelect"
            name: qsTr("Theme")
            model: [qsTr("System"), qsTr("Light"), qsTr("Dark")]
            currentIndex: section.themes.indexOf(section.app.themeChoice)
            onChosen: index => section.app.themeChoice = section.themes[index]
        }
    }
    SettingRow {
        width: parent.width
        label: qsTr("Text size")
        help: qsTr("Scales all text.")
        defaultText: qsTr("Default: 100%")
        changed: section.app.settings.textPercent !== 100
        onResetRequested: section.app.settings.textPercent = 100

        AppSlider {
            objectName: "textSize"
            anchors.verticalCenter: parent.verticalCenter
            name: qsTr("Text size")
            from: 90
            to: 130
            stepSize: 5
            value: section.app.settings.textPercent
            onChosen: value => section.app.settings.textPercent = value
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.round(44 * Theme.textScale)
            horizontalAlignment: Text.AlignRight
            text: qsTr("%1%").arg(section.app.settings.textPercent)
        }
    }
    SettingRow {
        width: parent.width
        label: qsTr("Language")
        help: qsTr("Interface language; models reply in yours.")
        defaultText: qsTr("Default: System")
        changed: section.app.settings.languageIndex !== 0
        onResetRequested: section.app.settings.chooseLanguage(0)

        AppComboBox {
            name: qsTr("Language")
            model: section.app.settings.languageNames
            currentIndex: section.app.settings.languageIndex
            onChosen: index => section.app.settings.chooseLanguage(index)
        }
    }
}
