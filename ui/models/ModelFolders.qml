pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The user's folders, and the files that were skipped.
Flow {
    id: folders

    required property ModelLibrary library

    visible: folders.library.hasAside || folders.library.list.hasSeveral
    spacing: 8

    Repeater {
        model: folders.library.folders

        FolderChip {
            required property string modelData

            path: modelData
            shownPath: folders.library.shortPath(modelData)
            onRemoved: folders.library.removeFolder(modelData)
        }
    }
    Chip {
        visible: text !== ""
        text: folders.library.leftOutText
        hintText: folders.library.leftOutHint
    }
    PillButton {
        visible: folders.library.hiddenText !== ""
        height: 28
        text: folders.library.hiddenText
        onClicked: folders.library.showHidden()
    }
    PillButton {
        objectName: "findDuplicates"
        visible: folders.library.list.hasSeveral
        height: 28
        text: qsTr("Find duplicates")
        onClicked: folders.library.files.findDuplicates()
    }
}
