import QtQuick
import Quire
import Quire.Models

/// What the desktop says when an answer ends while the window has no focus.
SettingsCard {
    id: card

    required property AnswerNotifier notifier

    section: "notifications"
    heading: qsTr("Notifications")

    SettingRow {
        search: card.search
        setting: "notifyAnswers"
        label: qsTr("When an answer is ready")
        help: qsTr("Shows a notification while you are in another window. It names the chat, not what was written.")
        defaultText: qsTr("Default: On")
        changed: !card.notifier.isOn
        onResetRequested: card.notifier.isOn = true

        AppSwitch {
            objectName: "notifiesSwitch"
            name: qsTr("When an answer is ready")
            checked: card.notifier.isOn
            onClicked: card.notifier.isOn = !card.notifier.isOn
        }
    }
    SettingRow {
        search: card.search
        setting: "notifySound"
        label: qsTr("Sound")
        help: qsTr("The desktop plays its sound for messages.")
        defaultText: qsTr("Default: Off")
        changed: card.notifier.sounds
        onResetRequested: card.notifier.sounds = false

        AppSwitch {
            objectName: "notifiesWithSoundSwitch"
            name: qsTr("Sound")
            enabled: card.notifier.isOn
            checked: card.notifier.sounds
            onClicked: card.notifier.sounds = !card.notifier.sounds
        }
    }
}
