import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A card of figures, as wide as the others of its grid.
EngineCard {
    id: card

    required property FigureList figures

    Layout.fillWidth: true
    Layout.fillHeight: true
    Layout.preferredWidth: 1

    FigureColumn {
        width: parent.width
        figures: card.figures
    }
}
