import QtQuick
import Quire
import Quire.Models

/// Recent prompts, and what their time went into.
EngineCard {
    id: card

    required property EngineMonitor monitor

    title: qsTr("Recent prompts")
    spacing: 14

    SmallText {
        visible: card.monitor.prompts.count === 0
        width: parent.width
        text: card.monitor.lastPromptStory
    }
    Repeater {
        model: card.monitor.prompts

        PromptEntry { width: parent.width }
    }
}
