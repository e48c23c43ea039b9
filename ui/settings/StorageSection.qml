import QtQuick
import Quire
import Quire.Models

/// The data folder, and disk space for the prefix cache.
SettingsCard {
    id: section

    required property SettingsModel settings
    required property DataTransfer transfer

    heading: qsTr("Data")

    SettingRow {
        label: qsTr("Your chats")
        help: section.settings.dataFolder
        problem: section.settings.folderProblem

        ActionButton {
            text: qsTr("Open folder")
            onClicked: section.settings.openDataFolder()
        }
    }
    SettingRow {
        label: qsTr("Disk space for personas")
        help: qsTr("Keeps prepared instructions on disk, so that personas are ready right after a restart.")
        defaultText: section.settings.budgetDefault
        changed: section.settings.personaMiBIsSet
        problem: section.settings.personaProblem
        onResetRequested: section.settings.setPersonaMiB("")

        ValueBox {
            objectName: "personaMiB"
            name: qsTr("Disk space for personas, in MiB")
            stored: section.settings.personaMiB
            unit: qsTr("MiB")
            warns: section.settings.personaProblem !== ""
            onCommitted: text => section.settings.setPersonaMiB(text)
        }
    }
    SettingRow {
        label: qsTr("Disk space for chats")
        help: qsTr("Keeps processed chats on disk, so that they continue at once after a restart.")
        defaultText: section.settings.budgetDefault
        changed: section.settings.chatMiBIsSet
        problem: section.settings.chatProblem
        onResetRequested: section.settings.setChatMiB("")

        ValueBox {
            name: qsTr("Disk space for chats, in MiB")
            stored: section.settings.chatMiB
            unit: qsTr("MiB")
            warns: section.settings.chatProblem !== ""
            onCommitted: text => section.settings.setChatMiB(text)
        }
    }
    Line { width: parent.width }
    DataSection { width: parent.width; transfer: section.transfer }
}
