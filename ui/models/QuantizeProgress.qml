import QtQuick
import Quire
import Quire.Models

/// The progress of quantising.
Column {
    id: progress

    required property ModelQuantizer quantizer

    spacing: 12
    Accessible.role: Accessible.ProgressBar
    Accessible.name: progress.quantizer.stageText
    Accessible.description: progress.quantizer.timeLeftText

    Caption {
        width: parent.width
        text: progress.quantizer.stageText
        font.weight: Font.DemiBold
        Accessible.ignored: true
    }
    MeterBar {
        width: parent.width
        height: 6
        leastWidth: 6
        value: progress.quantizer.progress
    }
    SmallText {
        visible: text !== ""
        width: parent.width
        text: progress.quantizer.timeLeftText
        Accessible.ignored: true
    }
    SmallText {
        width: parent.width
        text: qsTr("Chats have priority. You can close this panel; the Models page shows the progress. If you stop, or quit Quire, the finished part is kept and you can resume.")
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
}
