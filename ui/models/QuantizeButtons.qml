import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The buttons of the sheet that quantises a model.
Flow {
    id: buttons

    required property ModelQuantizer quantizer

    signal closeWanted()

    Layout.fillWidth: true
    layoutDirection: Qt.RightToLeft
    spacing: 8

    ActionButton {
        objectName: "quantizeStart"
        visible: buttons.quantizer.isChoosing
        primary: true
        enabled: buttons.quantizer.canStart
        text: buttons.quantizer.canResume ? qsTr("Resume") : qsTr("Quantise")
        onClicked: buttons.quantizer.start()
    }
    ActionButton {
        objectName: "quantizeStartOver"
        visible: buttons.quantizer.canResume
        text: qsTr("Start over")
        hintText: qsTr("Deletes what the interrupted run has written")
        onClicked: buttons.quantizer.startOver()
    }
    ActionButton {
        objectName: "quantizeStop"
        visible: buttons.quantizer.isRunning
        text: qsTr("Stop")
        hintText: qsTr("Keeps what is written so far")
        onClicked: buttons.quantizer.cancel()
    }
    ActionButton {
        visible: buttons.quantizer.isFinished
        primary: true
        text: qsTr("Done")
        onClicked: buttons.closeWanted()
    }
    ActionButton {
        visible: buttons.quantizer.isFinished
        text: qsTr("Show in file manager")
        onClicked: buttons.quantizer.showInFileManager()
    }
}
