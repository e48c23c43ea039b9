import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Moves a model to another folder or disk: the folder, then the progress.
SideSheet {
    id: sheet

    required property ModelMover mover

    title: sheet.mover.title
    iconName: "folder"
    shown: sheet.mover.isOpen
    onClosed: sheet.mover.close()

    Sentence { width: parent.width; text: sheet.mover.problem; warns: true }
    QuantizePath {
        visible: !sheet.mover.isMoving
        label: qsTr("New folder")
        help: sheet.mover.planText
        name: qsTr("Folder to move the model to")
        boxName: "moveFolder"
        path: sheet.mover.folder
        problem: sheet.mover.folderProblem
        onTyped: path => sheet.mover.folder = path
        onAsked: sheet.mover.chooseFolder(qsTr("Choose a folder for the model"))
    }
    Column {
        visible: sheet.mover.isMoving
        width: parent.width
        spacing: 12
        Accessible.role: Accessible.ProgressBar
        Accessible.name: sheet.mover.progressText

        Caption {
            width: parent.width
            text: sheet.mover.progressText
            font.weight: Font.DemiBold
            Accessible.ignored: true
        }
        MeterBar {
            width: parent.width
            height: 6
            leastWidth: 6
            value: sheet.mover.progress
        }
    }
    SmallText {
        width: parent.width
        text: qsTr("The original is deleted only after its copy has been read back and found equal. Chats will use the model at its new place.")
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
    footer: Flow {
        Layout.fillWidth: true
        layoutDirection: Qt.RightToLeft
        spacing: 8

        ActionButton {
            objectName: "startMove"
            visible: !sheet.mover.isMoving
            primary: true
            enabled: sheet.mover.canStart
            text: qsTr("Move")
            onClicked: sheet.mover.start()
        }
        ActionButton {
            objectName: "cancelMove"
            visible: !sheet.mover.isMoving
            text: qsTr("Cancel")
            onClicked: sheet.close()
        }
        ActionButton {
            objectName: "stopMove"
            visible: sheet.mover.isMoving
            text: qsTr("Stop")
            hintText: qsTr("The model stays at its old place")
            onClicked: sheet.mover.cancel()
        }
    }
}
