import QtQuick
import Quire
import Quire.Models

/// How far a model is quantised, while the sheet is closed; or that it failed or was interrupted.
Notice {
    id: strip

    required property ModelQuantizer quantizer

    visible: strip.quantizer.isInBackground
    text: strip.quantizer.summaryText
    warns: strip.quantizer.isFailed
    dismissable: !strip.quantizer.isRunning
    action: qsTr("Show")
    otherAction: strip.quantizer.isRunning ? qsTr("Stop") : ""
    onActed: strip.quantizer.show()
    onActedOtherwise: strip.quantizer.cancel()
    onDismissed: strip.quantizer.dismiss()
}
