pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Device, memory and defaults for loading models.
SettingsCard {
    id: card

    required property EngineStatus engine
    required property EngineSettings engineSettings
    required property Navigation navigation
    required property SettingsModel settings

    heading: qsTr("Engine")
    section: "engine"
    Component.onCompleted: card.engineSettings.prepare()

    SettingRow {
        search: card.search
        setting: "device"
        label: qsTr("Device")
        help: card.engine.deviceHint

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            text: card.engine.deviceName === "" ? qsTr("none yet") : card.engine.deviceName
        }
    }
    SettingRow {
        search: card.search
        setting: "engineModel"
        label: qsTr("Model")
        help: qsTr("Defaults for models without their own settings.")

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, 200)
            text: card.engine.modelLabel
        }
        ActionButton {
            text: qsTr("Models…")
            onClicked: card.navigation.page = Navigation.Models
        }
    }
    Repeater {
        model: card.engineSettings

        EngineRow {
            settings: card.engineSettings
            search: card.search
        }
    }
    SettingRow {
        search: card.search
        setting: "loadedModels"
        label: qsTr("Loaded models")
        help: card.engineSettings.staleText

        ActionButton {
            objectName: "applyEngineSettings"
            enabled: card.engineSettings.isStale && !card.engineSettings.isApplying
            text: qsTr("Apply now")
            hintText: qsTr("Reloads them with these settings")
            onClicked: card.engineSettings.apply()
        }
    }
    SettingRow {
        search: card.search
        setting: "idle"
        label: qsTr("Unload idle models")
        help: qsTr("Frees their memory. They load again automatically when a chat needs them.")
        defaultText: qsTr("Default: never")
        changed: card.settings.idleIsSet
        onResetRequested: card.settings.chooseIdle(0)

        AppComboBox {
            objectName: "idleSelect"
            name: qsTr("Unload idle models")
            model: card.settings.idleChoices
            currentIndex: card.settings.idleIndex
            onChosen: index => card.settings.chooseIdle(index)
        }
    }
}
