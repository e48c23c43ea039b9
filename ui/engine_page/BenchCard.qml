import QtQuick
import Quire
import Quire.Models

/// Measures this machine and shows a text to share.
EngineCard {
    id: card

    required property MachineBench bench

    title: qsTr("Measure this machine")
    spacing: 14

    SmallText {
        width: parent.width
        text: qsTr("Measures the model in use with 1, 4 and 16 chats in about half a minute, and makes a text that you can share. It names the processor, the model and the speed, but nothing about you: no user name, no paths, no chats.")
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
    Sentence { width: parent.width; text: card.bench.notice; warns: true }
    MeterBar {
        visible: card.bench.isRunning
        width: parent.width
        height: 6
        leastWidth: 6
        value: card.bench.progress
        Accessible.role: Accessible.ProgressBar
        Accessible.name: qsTr("Measuring")
    }
    SelectableText {
        objectName: "benchText"
        visible: text !== ""
        width: parent.width
        text: card.bench.text
        wrapMode: TextEdit.WrapAnywhere
        font.family: Theme.mono
        font.pixelSize: Theme.small
    }
    Row {
        anchors.left: parent.left
        spacing: 8

        ActionButton {
            objectName: "startBench"
            visible: !card.bench.isRunning
            text: card.bench.text === "" ? qsTr("Measure") : qsTr("Measure again")
            onClicked: card.bench.start()
        }
        ActionButton {
            objectName: "stopBench"
            visible: card.bench.isRunning
            text: qsTr("Stop")
            onClicked: card.bench.cancel()
        }
        ActionButton {
            objectName: "copyBench"
            visible: card.bench.text !== ""
            primary: true
            text: qsTr("Copy")
            onClicked: card.bench.copy()
        }
    }
}
