import QtQuick
import Quire
import Quire.Models

/// Why the last prompts took as long as they did.
EngineCard {
    id: card

    required property EngineMonitor monitor

    title: qsTr("Recent prompts")
    spacing: 14

    Caption {
        visible: card.monitor.prompts.count === 0
        width: parent.width
        text: card.monitor.lastPromptStory
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
    Repeater {
        model: card.monitor.prompts

        PromptEntry { width: parent.width }
    }
}
