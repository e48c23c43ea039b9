import QtQuick
import Quire
import Quire.Models

/// The total throughput: the figure, and a plot of the last minute.
Column {
    id: view

    required property EngineMonitor monitor

    spacing: 2

    Item {
        width: parent.width
        height: 20

        Caption {
            text: qsTr("Throughput")
            color: Theme.ink2
            font.weight: Font.DemiBold
            font.pixelSize: Theme.small
        }
        Caption {
            anchors.right: parent.right
            text: view.monitor.throughputMinute.spanText
            color: Theme.ink2
            font.pixelSize: Theme.small
        }
    }
    Row {
        width: parent.width
        spacing: 8
        Accessible.role: Accessible.StaticText
        Accessible.name: qsTr("%1 %2").arg(view.monitor.rateText).arg(view.monitor.rateUnitText)

        Caption {
            id: rate

            text: view.monitor.rateText
            font.pixelSize: Theme.display
            font.weight: Font.DemiBold
            Accessible.ignored: true
        }
        Caption {
            anchors.baseline: rate.baseline
            width: parent.width - rate.width - 8
            text: view.monitor.rateUnitText
            color: Theme.ink2
            font.pixelSize: Theme.small
            Accessible.ignored: true
        }
    }
    HistoryPlot {
        width: parent.width
        compact: true
        title: qsTr("Throughput")
        series: view.monitor.throughputMinute
    }
}
