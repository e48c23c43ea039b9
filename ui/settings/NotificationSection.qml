import QtQuick
import Quire
import Quire.Models

/// What the desktop says when an answer ends while the window has no focus.
SettingsCard {
    id: section

    required property AnswerNotifier notifier

    visible: section.notifier.isPossible
    heading: qsTr("Notifications")

    SettingRow {
        label: qsTr("When an answer is ready")
        help: qsTr("Shows a notification while you are in another window. It names the chat, not what was written.")
        defaultText: qsTr("Default: On")
        changed: !section.notifier.isOn
        onResetRequested: section.notifier.isOn = true

        AppSwitch {
            objectName: "notifiesSwitch"
            name: qsTr("When an answer is ready")
            checked: section.notifier.isOn
            onClicked: section.notifier.isOn = !section.notifier.isOn
        }
    }
    SettingRow {
        label: qsTr("Sound")
        help: qsTr("The desktop plays its sound for messages.")
        defaultText: qsTr("Default: Off")
        changed: section.notifier.sounds
        onResetRequested: section.notifier.sounds = false

        AppSwitch {
            objectName: "notifiesWithSoundSwitch"
            name: qsTr("Sound")
            enabled: section.notifier.isOn
            checked: section.notifier.sounds
            onClicked: section.notifier.sounds = !section.notifier.sounds
        }
    }
}
