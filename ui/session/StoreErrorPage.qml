pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The page shown when the store cannot be opened: the error and what to do.
ScrollArea {
    id: page

    required property StoreRescue rescue
    required property StoreStatus store

    readonly property bool suggestsBackup: page.rescue.suggestsBackup

    function focusNewest(): void {
        page.suggestsBackup && (backupRows.itemAt(0) as BackupRow)?.takeFocus();
    }

    onSuggestsBackupChanged: page.focusNewest()
    Component.onCompleted: page.focusNewest()
    contentHeight: Math.max(page.height, column.implicitHeight + 2 * 48)

    Column {
        id: column

        anchors.centerIn: parent
        width: Math.min(Theme.columnWidth, page.width - 2 * Theme.margin)
        spacing: 16

        Icon {
            anchors.left: parent.left
            size: 28
            iconName: "warning"
            color: Theme.warning
        }
        Heading {
            width: parent.width
            text: qsTr("Your chats could not be opened")
            font.pixelSize: Theme.display
            wrapMode: Text.Wrap
        }
        ErrorText {
            text: page.store.error
            color: Theme.ink
            font.pixelSize: Theme.text
            Accessible.role: Accessible.AlertMessage
        }
        ErrorText {
            text: page.rescue.findings !== "" ? page.rescue.findings
                : qsTr("Quire waits rather than start without your chats.")
        }
        ErrorText {
            text: page.rescue.error
            color: Theme.warning
        }
        Column {
            visible: page.rescue.canHelp
            width: parent.width

            SmallText {
                width: parent.width
                bottomPadding: 8
                text: page.rescue.backups.count === 0 ? qsTr("No backups") : qsTr("Backups")
                font.weight: Font.DemiBold
            }
            Repeater {
                id: backupRows

                model: page.rescue.backups

                BackupRow {
                    width: column.width
                    enabled: !page.rescue.isBusy && !page.store.isOpening
                    primary: page.suggestsBackup && index === 0
                    onRestoreRequested: row => page.rescue.restore(row)
                }
            }
        }
        Flow {
            width: parent.width
            spacing: 8

            ActionButton {
                objectName: "openStoreAgain"
                primary: !page.suggestsBackup
                focus: true
                text: qsTr("Try again")
                enabled: !page.rescue.isBusy
                onClicked: page.store.open()
            }
            ActionButton {
                objectName: "lookAtStore"
                visible: page.rescue.canLook
                text: qsTr("View readable chats")
                onClicked: page.rescue.viewer.open()
            }
            ActionButton {
                objectName: "startAfresh"
                visible: page.rescue.canStartFresh
                enabled: !page.rescue.isBusy && !page.store.isOpening
                text: page.rescue.freshText
                onClicked: page.rescue.startFresh()
            }
            ActionButton {
                text: qsTr("Quit")
                onClicked: Qt.quit()
            }
        }
    }
}
