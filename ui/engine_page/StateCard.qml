import QtQuick
import Quire
import Quire.Models

/// The states of a model with recurrent layers.
EngineCard {
    id: card

    required property FigureList figures

    title: qsTr("Recurrent states")

    SmallText {
        width: parent.width
        text: qsTr("Some layers of this model sum up a chat in one state of fixed size. A chat continues from the last snapshot of its state; what follows it is computed again.")
        wrapMode: Text.Wrap
        lineRatio: 1.7
    }
    FigureColumn {
        objectName: "stateFigures"
        width: parent.width
        columns: card.width > 640 ? 2 : 1
        figures: card.figures
    }
}
