import QtQuick
import Quire
import Quire.Models

/// "One answer", "Ask 3": the number of answers. Opens the AskPopup.
Chip {
    id: chip

    required property PersonaListModel personas
    required property ComposerModel model

    objectName: "askChip"
    opensMenu: true
    active: chip.model.plan.isSeveral
    text: chip.model.plan.chipText
    hintText: chip.model.plan.summary
    onClicked: popup.open()

    AskPopup {
        id: popup

        x: Theme.mirrored ? chip.width - popup.width : 0
        y: -popup.height - 8
        personas: chip.personas
        plan: chip.model.plan
    }
}
