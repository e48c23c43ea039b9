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

        SmallText {
            anchors.left: parent.left
            text: qsTr("Throughput")
            font.weight: Font.DemiBold
        }
        SmallText {
            anchors.right: parent.right
            text: view.monitor.throughputMinute.spanText
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
        SmallText {
            anchors.baseline: rate.baseline
            width: parent.width - rate.width - 8
            text: view.monitor.rateUnitText
            wrapMode: Text.Wrap
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
