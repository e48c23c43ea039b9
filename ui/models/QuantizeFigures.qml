import QtQuick
import Quire
import Quire.Models

/// The result of quantising.
Column {
    id: result

    required property ModelQuantizer quantizer

    spacing: 16

    Caption {
        width: parent.width
        text: result.quantizer.resultText
        font.weight: Font.DemiBold
        wrapMode: Text.Wrap
        lineRatio: 1.5
    }
    FigureColumn {
        objectName: "quantizeFigures"
        visible: result.quantizer.isCompared
        width: parent.width
        figures: result.quantizer.figures
    }
    SmallText {
        width: parent.width
        text: qsTr("It is in the list of models now.")
        wrapMode: Text.Wrap
    }
}
