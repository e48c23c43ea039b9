import QtQuick
import Quire
import Quire.Models

/// The time range of the plots.
Row {
    id: choice

    required property EngineMonitor monitor

    spacing: 8
    Accessible.role: Accessible.Grouping
    Accessible.name: qsTr("Time range")

    SpanButton {
        text: qsTr("60 seconds")
        checked: !choice.monitor.longSpan
        onClicked: choice.monitor.longSpan = false
    }
    SpanButton {
        text: qsTr("10 minutes")
        checked: choice.monitor.longSpan
        onClicked: choice.monitor.longSpan = true
    }
}
