import QtQuick
import Quire
import Quire.Models

/// Theme, text size and language.
SettingsCard {
    id: card

    required property Appearance appearance
    readonly property list<string> themes: ["system", "light", "dark"]

    heading: qsTr("Appearance")
    section: "appearance"

    SettingRow {
        search: card.search
        setting: "theme"
        label: qsTr("Theme")
        help: qsTr("Light, dark, or the same as the system.")
        defaultText: qsTr("Default: System")
        changed: card.appearance.themeIsSet
        onResetRequested: card.appearance.themeChoice = "system"

        AppComboBox {
            objectName: "themeSelect"
            name: qsTr("Theme")
            model: [qsTr("System"), qsTr("Light"), qsTr("Dark")]
            currentIndex: card.themes.indexOf(card.appearance.themeChoice)
            onChosen: index => card.appearance.themeChoice = card.themes[index]
        }
    }
    SettingRow {
        search: card.search
        setting: "textSize"
        label: qsTr("Text size")
        help: qsTr("Scales all text.")
        defaultText: qsTr("Default: 100%")
        changed: card.appearance.textPercentIsSet
        onResetRequested: card.appearance.textPercent = 100

        AppSlider {
            objectName: "textSize"
            anchors.verticalCenter: parent.verticalCenter
            width: 150  // Its track begins where the lists of the other settings do.
            name: qsTr("Text size")
            from: 90
            to: 130
            stepSize: 5
            value: card.appearance.textPercent
            onChosen: value => card.appearance.textPercent = value
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.round(44 * Theme.textScale)
            horizontalAlignment: Text.AlignRight
            text: qsTr("%1%").arg(card.appearance.textPercent)
        }
    }
    SettingRow {
        search: card.search
        setting: "language"
        label: qsTr("Language")
        help: qsTr("For the window. Models answer in the language you write.")
        defaultText: qsTr("Default: System")
        changed: card.appearance.languageIsSet
        onResetRequested: card.appearance.chooseLanguage(0)

        AppComboBox {
            name: qsTr("Language")
            model: card.appearance.languageNames
            currentIndex: card.appearance.languageIndex
            onChosen: index => card.appearance.chooseLanguage(index)
        }
    }
}
