import QtQuick
import Quire
import Quire.Models

/// Quantises a model: the choices, then the progress, then the result.
SideSheet {
    id: sheet

    required property ModelQuantizer quantizer

    title: qsTr("Quantise %1").arg(sheet.quantizer.modelName)
    iconName: "model"
    shown: sheet.quantizer.isOpen
    onClosed: sheet.quantizer.close()

    SmallText {
        visible: sheet.quantizer.isSurveying
        width: parent.width
        text: qsTr("Reading the model…")
    }
    Sentence { width: parent.width; text: sheet.quantizer.problem; warns: true }
    Sentence { width: parent.width; text: sheet.quantizer.notice }
    QuantizeChoices {
        visible: sheet.quantizer.isChoosing && sheet.quantizer.types.length > 0
        width: parent.width
        quantizer: sheet.quantizer
    }
    QuantizeProgress {
        visible: sheet.quantizer.isRunning
        width: parent.width
        quantizer: sheet.quantizer
    }
    QuantizeFigures {
        visible: sheet.quantizer.isFinished
        width: parent.width
        quantizer: sheet.quantizer
    }
    footer: QuantizeButtons {
        quantizer: sheet.quantizer
        onCloseWanted: sheet.close()
    }
}
