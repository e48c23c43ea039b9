pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The data settings: export, import, and backups.
Column {
    id: section

    required property DataTransfer transfer

    spacing: 16
    Component.onCompleted: section.transfer.backups.refresh()

    Flow {
        width: parent.width
        spacing: 8

        ActionButton {
            objectName: "exportAll"
            text: qsTr("Export all chats…")
            enabled: !section.transfer.isBusy
            onClicked: section.transfer.askExport(0)
        }
        ActionButton {
            text: qsTr("Import…")
            enabled: !section.transfer.isBusy
            onClicked: section.transfer.askImport()
        }
        ActionButton {
            objectName: "backUpNow"
            text: qsTr("Back up now")
            enabled: !section.transfer.isBusy
            onClicked: section.transfer.backUpNow()
        }
    }
    TransferState {
        width: parent.width
        transfer: section.transfer
    }
    SmallText {
        width: parent.width
        text: section.transfer.backups.count === 0
            ? qsTr("No backups yet. Quire makes one on each day you use it.")
            : qsTr("Restoring a backup adds what is missing; nothing newer is overwritten.")
        wrapMode: Text.Wrap
    }
    Column {
        width: parent.width

        Repeater {
            model: section.transfer.backups

            BackupRow {
                width: section.width
                enabled: !section.transfer.isBusy
                onRestoreRequested: row => section.transfer.restore(row)
            }
        }
    }
}
