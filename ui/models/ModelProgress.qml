import QtQuick
import Quire
import Quire.Models

/// The progress of a load: stage, fraction, time left, and Cancel.
Item {
    id: progress

    required property ModelCard card

    implicitHeight: 36
    Accessible.role: Accessible.ProgressBar
    Accessible.name: progress.card.phaseText
    Accessible.description: progress.card.timeLeftText

    SmallText {
        id: phase

        anchors.left: parent.left
        width: parent.width - cancel.width - left.width - 32
        text: progress.card.phaseText
    }
    SmallText {
        id: left

        anchors.right: cancel.left
        anchors.rightMargin: 16
        text: progress.card.timeLeftText
    }
    MeterBar {
        anchors.left: parent.left
        y: 27
        width: parent.width - cancel.width - 16
        height: 6
        value: progress.card.progress
        leastWidth: 6
    }
    ActionButton {
        id: cancel

        objectName: "cancelLoad"
        anchors.right: parent.right
        y: 2
        text: qsTr("Cancel")
        hintText: qsTr("Cancels loading. Models already loaded keep answering.")
        onClicked: progress.card.cancel()
    }
}
