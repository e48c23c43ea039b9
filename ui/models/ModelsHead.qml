import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The header of the models page: summary, search, folders, and Rescan.
Column {
    id: head

    required property ModelLibrary library

    spacing: 20

    RowLayout {
        width: parent.width
        spacing: 8

        Column {
            Layout.fillWidth: true
            Layout.alignment: Qt.AlignTop
            spacing: 6

            Caption {
                text: qsTr("Models")
                font.pixelSize: Theme.display
                font.weight: Font.DemiBold
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            Caption {
                width: parent.width
                text: head.library.summaryText
                color: Theme.ink2
                font.pixelSize: Theme.text
            }
        }
        ActionButton {
            Layout.alignment: Qt.AlignTop
            text: head.library.scanning ? qsTr("Stop scanning") : qsTr("Rescan")
            hintText: qsTr("Scans your folders and those of other applications")
            onClicked: head.library.toggleScan()
        }
        ActionButton {
            Layout.alignment: Qt.AlignTop
            objectName: "addFolder"
            primary: true
            text: qsTr("Add a folder")
            onClicked: head.library.chooseFolder(qsTr("Choose a folder with models"))
        }
    }
    FolderField {
        visible: head.library.typesFolder
        width: parent.width
        library: head.library
    }
    ModelsNotice {
        width: parent.width
        library: head.library
    }
    RowLayout {
        visible: !head.library.isEmpty
        width: parent.width
        spacing: 12

        SearchField {
            Layout.fillWidth: true
            objectName: "modelSearch"
            name: qsTr("Search models")
            text: head.library.search
            onTextEdited: head.library.search = text
        }
        ModelSortSwitch { library: head.library }
    }
    ModelFolders {
        width: parent.width
        library: head.library
    }
    Caption {
        visible: head.library.foundNothing
        width: parent.width
        topPadding: 32
        horizontalAlignment: Text.AlignHCenter
        text: qsTr("No matching models")
        color: Theme.ink2
        font.pixelSize: Theme.text
    }
    ModelsWelcome {
        visible: head.library.isEmpty
        width: parent.width
        library: head.library
    }
}
