import QtQuick
import Quire
import Quire.Models

/// A card of figures.
EngineCard {
    id: card

    required property FigureList figures

    FigureColumn {
        width: parent.width
        figures: card.figures
    }
}
