import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The engine page: speed, cache blocks, and recent prompts.
PageFrame {
    id: page

    required property EngineMonitor monitor
    required property MachineBench bench

    title: qsTr("Engine")
    subtitle: qsTr("%1 %2").arg(page.monitor.rateText).arg(page.monitor.rateUnitText)
    contentMaximum: 1040
    actions: ChoiceRow {
        name: qsTr("Time range")
        choices: [qsTr("60 seconds"), qsTr("10 minutes")]
        current: page.monitor.longSpan ? 1 : 0
        onChosen: index => page.monitor.longSpan = index === 1
    }

    EngineCard {
        width: parent.width
        title: qsTr("Speed")

        EnginePlots {
            width: parent.width
            monitor: page.monitor
        }
    }
    BlockCard {
        width: parent.width
        map: page.monitor.blocks
    }
    StateCard {
        visible: page.monitor.hasStates
        width: parent.width
        figures: page.monitor.states
    }
    WindowCard {
        visible: page.monitor.hasWindows
        width: parent.width
        figures: page.monitor.windows
    }
    GridLayout {
        width: parent.width
        columns: page.columnWidth > 720 ? 2 : 1
        columnSpacing: 16
        rowSpacing: 16

        FigureCard {
            title: qsTr("Time to first token")
            figures: page.monitor.firstToken
        }
        FigureCard {
            title: qsTr("Between tokens")
            figures: page.monitor.betweenTokens
        }
        FigureCard {
            title: qsTr("Activity")
            figures: page.monitor.load
        }
        FigureCard {
            title: qsTr("Cache")
            figures: page.monitor.cache
        }
    }
    EngineCard {
        width: parent.width
        title: qsTr("Recent prompts")
        spacing: 14

        SmallText {
            visible: page.monitor.prompts.count === 0
            width: parent.width
            text: page.monitor.lastPromptStory
        }
        Repeater {
            model: page.monitor.prompts

            PromptEntry { width: parent.width }
        }
    }
    BenchCard {
        width: parent.width
        bench: page.bench
    }
}
