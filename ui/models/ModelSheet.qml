import QtQuick
import Quire
import Quire.Models

/// How answers of one model are drawn, where neither a persona nor a chat says otherwise.
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
        width: parent.width
        editor: sheet.card.generation
    }
}
