import QtQuick
import Quire
import Quire.Models

/// Theme, text size and language.
SettingsCard {
    id: section

    required property Appearance appearance
    readonly property list<string> themes: ["system", "light", "dark"]

    heading: qsTr("Appearance")

    SettingRow {
        label: qsTr("Theme")
        help: qsTr("Light, dark, or the same as the system.")
        defaultText: qsTr("Default: System")
        changed: section.appearance.themeChoice !== "system"
        onResetRequested: section.appearance.themeChoice = "system"

        AppComboBox {
            objectName: "themeSelect"
            name: qsTr("Theme")
            model: [qsTr("System"), qsTr("Light"), qsTr("Dark")]
            currentIndex: section.themes.indexOf(section.appearance.themeChoice)
            onChosen: index => section.appearance.themeChoice = section.themes[index]
        }
    }
    SettingRow {
        label: qsTr("Text size")
        help: qsTr("Scales all text.")
        defaultText: qsTr("Default: 100%")
        changed: section.appearance.textPercent !== 100
        onResetRequested: section.appearance.textPercent = 100

        AppSlider {
            objectName: "textSize"
            anchors.verticalCenter: parent.verticalCenter
            name: qsTr("Text size")
            from: 90
            to: 130
            stepSize: 5
            value: section.appearance.textPercent
            onChosen: value => section.appearance.textPercent = value
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.round(44 * Theme.textScale)
            horizontalAlignment: Text.AlignRight
            text: qsTr("%1%").arg(section.appearance.textPercent)
        }
    }
    SettingRow {
        label: qsTr("Language")
        help: qsTr("Interface language; models reply in yours.")
        defaultText: qsTr("Default: System")
        changed: section.appearance.languageIndex !== 0
        onResetRequested: section.appearance.chooseLanguage(0)

        AppComboBox {
            name: qsTr("Language")
            model: section.appearance.languageNames
            currentIndex: section.appearance.languageIndex
            onChosen: index => section.appearance.chooseLanguage(index)
        }
    }
}
