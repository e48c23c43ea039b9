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
    Item {
        width: parent.width
        height: Math.max(rate.height, unit.y + unit.height)
        Accessible.role: Accessible.StaticText
        Accessible.name: qsTr("%1 %2").arg(view.monitor.rateText).arg(view.monitor.rateUnitText)

        Caption {
            id: rate

            anchors.left: parent.left
            text: view.monitor.rateText
            font.pixelSize: Theme.display
            font.weight: Font.DemiBold
            Accessible.ignored: true
        }
        SmallText {
            id: unit

            anchors.baseline: rate.baseline
            anchors.left: rate.right
            anchors.leftMargin: 8
            anchors.right: parent.right
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
