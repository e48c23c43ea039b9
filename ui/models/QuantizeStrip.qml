import QtQuick
import Quire
import Quire.Models

/// How far a model is quantised, while the sheet is closed.
Notice {
    id: strip

    required property ModelQuantizer quantizer

    visible: strip.quantizer.isInBackground
    text: strip.quantizer.summaryText
    warns: false
    dismissable: strip.quantizer.isFinished
    action: qsTr("Show")
    otherAction: strip.quantizer.isRunning ? qsTr("Stop") : ""
    onActed: strip.quantizer.show()
    onActedOtherwise: strip.quantizer.cancel()
    onDismissed: strip.quantizer.dismiss()
}
