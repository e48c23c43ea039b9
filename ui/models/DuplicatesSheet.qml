pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Models that are on the disks more than once.
SideSheet {
    id: sheet

    required property ModelFileActions files

    title: qsTr("Duplicates")
    iconName: "duplicate"
    shown: sheet.files.duplicates.isOpen
    onClosed: sheet.files.duplicates.close()

    Caption {
        objectName: "duplicatesSummary"
        width: parent.width
        text: sheet.files.duplicates.summaryText
        wrapMode: Text.Wrap
        lineRatio: 1.5
    }
    MeterBar {
        visible: sheet.files.duplicates.isRunning
        width: parent.width
        height: 6
        leastWidth: 6
        value: sheet.files.duplicates.progress
    }
    Repeater {
        model: sheet.files.duplicates

        DuplicateRow {
            width: parent.width
            onDeleteWanted: path => sheet.files.removeCopy(path)
        }
    }
    SmallText {
        width: parent.width
        text: qsTr("Files are compared by the hashes of all their bytes. Only files of equal size are read, and each is read once.")
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
    footer: Flow {
        Layout.fillWidth: true
        layoutDirection: Qt.RightToLeft
        spacing: 8

        ActionButton {
            objectName: "closeDuplicates"
            text: sheet.files.duplicates.isRunning ? qsTr("Stop") : qsTr("Done")
            onClicked: sheet.files.duplicates.close()
        }
    }
}
