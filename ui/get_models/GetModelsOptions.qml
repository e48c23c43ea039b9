import QtQuick
import Quire
import Quire.Models

/// The choices for all downloads, folded away: speed limit, folder and mirror.
Column {
    id: options

    required property GetModels source
    property bool isOpen: false

    spacing: 16
    topPadding: 4

    PillButton {
        anchors.left: parent.left
        objectName: "hubOptions"
        height: 28
        iconName: options.isOpen ? "up" : "down"
        text: qsTr("Download options")
        Accessible.description: options.isOpen ? qsTr("Shown") : qsTr("Hidden")
        onClicked: options.isOpen = !options.isOpen
    }
    FieldLabel {
        visible: options.isOpen
        text: qsTr("Speed limit")
        help: qsTr("For all downloads together.")

        AppComboBox {
            anchors.left: parent.left
            objectName: "hubLimit"
            name: qsTr("Speed limit")
            model: options.source.limits
            currentIndex: options.source.limitIndex
            onChosen: index => options.source.setLimitIndex(index)
        }
    }
    QuantizePath {
        visible: options.isOpen
        label: qsTr("Folder")
        help: qsTr("256 MB of its disk always stay free.")
        name: qsTr("Folder for downloaded models")
        boxName: "hubFolder"
        path: options.source.folder
        problem: options.source.folderProblem
        onCommitted: path => options.source.setFolder(path)
        onAsked: options.source.chooseFolder(qsTr("Choose a folder for models"))
    }
    FieldLabel {
        visible: options.isOpen
        text: qsTr("Mirror of Hugging Face (optional)")
        help: qsTr("Used instead of %1.").arg(options.source.usualHub)

        EndpointBox {
            objectName: "hubMirror"
            width: parent.width
            name: qsTr("Address of a mirror")
            hint: "https://" + options.source.usualHub
            warns: options.source.mirrorProblem !== ""
            stored: options.source.mirror
            onCommitted: text => options.source.setMirror(text)
        }
        Sentence { topPadding: 6; width: parent.width; text: options.source.mirrorProblem; warns: true }
    }
}
