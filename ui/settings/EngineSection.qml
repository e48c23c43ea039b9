pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Device, memory and defaults for loading models.
SettingsCard {
    id: section

    required property EngineStatus engine
    required property EngineSettings engineSettings
    required property Navigation navigation
    required property SettingsModel settings

    heading: qsTr("Engine")
    Component.onCompleted: section.engineSettings.prepare()

    SettingRow {
        label: qsTr("Device")
        help: section.engine.deviceHint

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            text: section.engine.deviceName === "" ? qsTr("none yet") : section.engine.deviceName
        }
    }
    SettingRow {
        label: qsTr("Model")
        help: qsTr("Defaults for models without their own settings.")

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, 200)
            text: section.engine.modelLabel
        }
        ActionButton {
            text: qsTr("Models…")
            onClicked: section.navigation.page = Navigation.Models
        }
    }
    Repeater {
        model: section.engineSettings

        EngineRow {
            settings: section.engineSettings
        }
    }
    SettingRow {
        label: qsTr("Loaded models")
        help: section.engineSettings.staleText

        ActionButton {
            objectName: "applyEngineSettings"
            enabled: section.engineSettings.isStale && !section.engineSettings.isApplying
            text: qsTr("Apply now")
            hintText: qsTr("Reloads them with these settings")
            onClicked: section.engineSettings.apply()
        }
    }
    SettingRow {
        label: qsTr("Unload idle models")
        help: qsTr("Frees their memory. They load again automatically when a chat needs them.")
        defaultText: qsTr("Default: never")
        changed: section.settings.idleIndex !== 0
        onResetRequested: section.settings.chooseIdle(0)

        AppComboBox {
            objectName: "idleSelect"
            name: qsTr("Unload idle models")
            model: section.settings.idleChoices
            currentIndex: section.settings.idleIndex
            onChosen: index => section.settings.chooseIdle(index)
        }
    }
}
