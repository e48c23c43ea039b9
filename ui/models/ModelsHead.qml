import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The header of the models page: summary, actions, downloads, search and folders.
Column {
    id: head

    required property ModelLibrary library
    required property GetModels source

    spacing: 20

    PageTitle {
        width: parent.width
        title: qsTr("Models")
        subtitle: head.library.summaryText
        actions: [
            IconButton {
                width: 32
                height: 32
                iconName: head.library.scanning ? "stop" : "regenerate"
                name: head.library.scanning ? qsTr("Stop scanning") : qsTr("Rescan")
                hintText: qsTr("Scans your folders and those of other applications")
                onClicked: head.library.toggleScan()
            },
            ActionButton {
                objectName: "addEndpoint"
                text: qsTr("Add a machine")
                hintText: qsTr("Models on another machine, or of a hosted service")
                onClicked: head.library.remote.add()
            },
            ActionButton {
                objectName: "addFolder"
                primary: !head.source.isAvailable && !head.library.hasNoneOfOwn
                text: qsTr("Add a folder")
                onClicked: head.library.chooseFolder(qsTr("Choose a folder with models"))
            },
            ActionButton {
                objectName: "getModels"
                visible: head.source.isAvailable
                primary: head.source.isNext
                text: qsTr("Get models")
                hintText: qsTr("Finds and downloads models")
                onClicked: head.source.open()
            }
        ]
    }
    RowLayout {
        visible: head.library.typesFolder  // On desktops without a folder dialog.
        width: parent.width
        spacing: 8
        onVisibleChanged: visible && folderPath.forceActiveFocus(Qt.OtherFocusReason)

        TextBox {
            id: folderPath

            Layout.fillWidth: true
            objectName: "folderPath"
            name: qsTr("Folder path")
            hint: qsTr("Type a path such as ~/models, or drop a folder here")
            warns: head.library.folderProblem !== ""
            onAccepted: head.library.typeFolder(folderPath.text)
        }
        ActionButton {
            text: qsTr("Add")
            enabled: folderPath.text !== ""
            onClicked: head.library.typeFolder(folderPath.text)
        }
    }
    Sentence { width: parent.width; text: head.library.folderProblem; warns: true }
    Notice {
        width: parent.width
        warns: false
        text: head.library.notice
        action: head.library.noticeAction
        onActed: head.library.acceptNotice()
        onDismissed: head.library.dismissNotice()
    }
    Notice {
        width: parent.width
        text: head.library.remote.notice
        onDismissed: head.library.remote.dismissNotice()
    }
    QuantizeStrip {
        objectName: "quantizeStrip"
        width: parent.width
        quantizer: head.library.quantizer
    }
    DownloadStrip {
        objectName: "downloadStrip"
        width: parent.width
        downloads: head.source.downloads
    }
    ModelFilesStrip {
        width: parent.width
        files: head.library.files
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
        ChoiceRow {
            name: qsTr("Sort by")
            choices: [qsTr("Last used"), qsTr("Name"), qsTr("Size")]
            current: head.library.sortChoice
            onChosen: index => head.library.sortChoice = index
        }
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
    ActionButton {
        objectName: "searchHub"
        visible: head.library.foundNothing && head.source.isAvailable
        anchors.horizontalCenter: parent.horizontalCenter
        text: qsTr("Get models")
        onClicked: head.source.openFor(head.library.search)
    }
    ModelsWelcome {
        visible: head.library.hasNoneOfOwn && !head.library.foundNothing
        width: parent.width
        library: head.library
        offers: head.source.offers
    }
}
