import QtQuick
import Quire
import Quire.Models

/// Where everything is kept, and how much disk what was computed may take.
SettingsCard {
    id: section

    required property SettingsModel settings
    required property DataTransfer transfer

    heading: qsTr("Data")

    SettingRow {
        width: parent.width
        label: qsTr("Your chats")
        help: section.settings.dataFolder

        ActionButton {
            text: qsTr("Open folder")
            onClicked: section.settings.openDataFolder()
        }
    }
    SettingRow {
        width: parent.width
        label: qsTr("Disk for personas")
        help: qsTr("What was computed of instructions is kept, so that they are warm again after a restart.")
        defaultText: section.settings.budgetDefault
        changed: section.settings.personaMiBIsSet
        problem: section.settings.personaProblem
        onResetRequested: section.settings.setPersonaMiB("")

        MegabyteBox {
            objectName: "personaMiB"
            name: qsTr("Disk for personas, in megabytes")
            stored: section.settings.personaMiB
            warns: section.settings.personaProblem !== ""
            onCommitted: text => section.settings.setPersonaMiB(text)
        }
    }
    SettingRow {
        width: parent.width
        label: qsTr("Disk for chats")
        help: qsTr("What was computed of chats is kept, so that they go on at once after a restart.")
        defaultText: section.settings.budgetDefault
        changed: section.settings.chatMiBIsSet
        problem: section.settings.chatProblem
        onResetRequested: section.settings.setChatMiB("")

        MegabyteBox {
            name: qsTr("Disk for chats, in megabytes")
            stored: section.settings.chatMiB
            warns: section.settings.chatProblem !== ""
            onCommitted: text => section.settings.setChatMiB(text)
        }
    }
    Rectangle { width: parent.width; height: 1; color: Theme.line }
    DataSection { width: parent.width; transfer: section.transfer }
}
