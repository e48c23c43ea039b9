import QtQuick
import Quire
import Quire.Models

/// The windows of a model with layers that see only the last tokens.
EngineCard {
    id: card

    required property FigureList figures

    title: qsTr("Attention windows")

    SmallText {
        width: parent.width
        text: qsTr("Some layers of this model see only the last tokens of a chat. What they keep of each block is a part of its own, and is forgotten behind the window.")
        wrapMode: Text.Wrap
        lineRatio: 1.7
    }
    FigureColumn {
        objectName: "windowFigures"
        width: parent.width
        columns: card.width > 640 ? 2 : 1
        figures: card.figures
    }
}
