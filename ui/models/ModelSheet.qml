import QtQuick
import Quire
import Quire.Models

/// Sampling settings of one model.
SideSheet {
    id: sheet

    required property ModelCard card

    function show(): void {
        sheet.card.showGeneration();
        sheet.shown = true;
    }

    title: sheet.card.name
    iconName: "model"
    onClosed: sheet.shown = false

    GenerationSection {
        editor: sheet.card.generation
    }
}
