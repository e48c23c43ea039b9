import QtQuick
import Quire
import Quire.Models

/// The data folder, and disk space for the prefix cache.
SettingsCard {
    id: card

    required property SettingsModel settings
    required property DataTransfer transfer

    heading: qsTr("Data")
    section: "data"

    SettingRow {
        search: card.search
        setting: "dataFolder"
        label: qsTr("Your chats")
        help: card.settings.dataFolder
        problem: card.settings.folderProblem

        ActionButton {
            text: qsTr("Open folder")
            onClicked: card.settings.openDataFolder()
        }
    }
    SettingRow {
        search: card.search
        setting: "personaSpace"
        label: qsTr("Disk space for personas")
        help: qsTr("Keeps prepared instructions on disk, so that personas are ready right after a restart.")
        defaultText: card.settings.budgetDefault
        changed: card.settings.personaMiBIsSet
        problem: card.settings.personaProblem
        onResetRequested: card.settings.setPersonaMiB("")

        ValueBox {
            objectName: "personaMiB"
            name: qsTr("Disk space for personas, in MiB")
            stored: card.settings.personaMiB
            unit: qsTr("MiB")
            problem: card.settings.personaProblem
            onCommitted: text => card.settings.setPersonaMiB(text)
        }
    }
    SettingRow {
        search: card.search
        setting: "chatSpace"
        label: qsTr("Disk space for chats")
        help: qsTr("Keeps processed chats on disk, so that they continue at once after a restart.")
        defaultText: card.settings.budgetDefault
        changed: card.settings.chatMiBIsSet
        problem: card.settings.chatProblem
        onResetRequested: card.settings.setChatMiB("")

        ValueBox {
            name: qsTr("Disk space for chats, in MiB")
            stored: card.settings.chatMiB
            unit: qsTr("MiB")
            problem: card.settings.chatProblem
            onCommitted: text => card.settings.setChatMiB(text)
        }
    }
    Line { visible: !card.search.isSearching; width: parent.width }
    DataSection {
        visible: card.search.shows("backups", card.search.version)
        width: parent.width
        transfer: card.transfer
    }
}
