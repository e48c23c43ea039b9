import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The engine page: speed, cache blocks, and recent prompts.
PageFrame {
    id: page

    required property EngineMonitor monitor

    title: qsTr("Engine")
    subtitle: qsTr("%1 %2").arg(page.monitor.rateText).arg(page.monitor.rateUnitText)
    contentMaximum: 1040
    actions: SpanSwitch { monitor: page.monitor }

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
    GridLayout {
        width: parent.width
        columns: page.columnWidth > 720 ? 2 : 1
        columnSpacing: 16
        rowSpacing: 16

        FigureCard {
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.preferredWidth: 1
            title: qsTr("Time to first token")
            figures: page.monitor.firstToken
        }
        FigureCard {
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.preferredWidth: 1
            title: qsTr("Between tokens")
            figures: page.monitor.betweenTokens
        }
        FigureCard {
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.preferredWidth: 1
            title: qsTr("Activity")
            figures: page.monitor.load
        }
        FigureCard {
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.preferredWidth: 1
            title: qsTr("Cache")
            figures: page.monitor.cache
        }
    }
    PromptCard {
        width: parent.width
        monitor: page.monitor
    }
}
