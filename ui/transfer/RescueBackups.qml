pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The backups that can replace a damaged store.
Column {
    id: section

    required property StoreRescue rescue

    visible: section.rescue.canHelp

    SmallText {
        width: parent.width
        bottomPadding: 8
        text: section.rescue.backups.count === 0 ? qsTr("No backups") : qsTr("Backups")
        font.weight: Font.DemiBold
    }
    Repeater {
        model: section.rescue.backups

        BackupRow {
            width: section.width
            enabled: !section.rescue.isBusy
            onRestoreRequested: row => section.rescue.restore(row)
        }
    }
}
