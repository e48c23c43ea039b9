import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Plots of the last minutes.
GridLayout {
    id: plots

    required property EngineMonitor monitor

    columns: plots.width > 640 ? 2 : 1
    columnSpacing: 32
    rowSpacing: 20

    HistoryPlot {
        title: qsTr("All chats together")
        series: plots.monitor.throughput
    }
    HistoryPlot {
        title: qsTr("Time between tokens in each chat")
        series: plots.monitor.pace
        color: Theme.chatColor(1)
    }
    HistoryPlot {
        title: qsTr("Chats answering at once")
        series: plots.monitor.chatsAtOnce
        color: Theme.chatColor(2)
    }
    HistoryPlot {
        title: qsTr("Cache blocks in use")
        series: plots.monitor.cacheUse
        color: Theme.chatColor(3)
    }
}
