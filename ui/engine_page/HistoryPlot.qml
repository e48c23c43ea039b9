import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A plot of a quantity over time, with its current value, maximum and time range.
Item {
    id: plot

    required property string title
    required property PlotSeries series
    property bool compact: false
    property color color: Theme.accent

    implicitHeight: plot.compact ? 44 : 132
    Layout.fillWidth: true
    Layout.preferredWidth: 1
    Accessible.role: Accessible.Graphic
    Accessible.name: plot.title
    Accessible.description: plot.series.summary

    SmallText {
        id: name

        anchors.left: parent.left
        visible: !plot.compact
        text: plot.title
        Accessible.ignored: true
    }
    Caption {
        visible: !plot.compact
        anchors.right: parent.right
        text: plot.series.latestText
        font.weight: Font.Medium
        Accessible.ignored: true
    }
    TinyText {
        visible: !plot.compact
        y: line.y - height - 1
        text: plot.series.topText
        Accessible.ignored: true
    }
    PlotItem {
        id: line

        y: plot.compact ? 0 : 40
        width: parent.width
        height: parent.height - y - (plot.compact ? 0 : 18)
        series: plot.series
        color: plot.color
        baseColor: Theme.line
        Accessible.ignored: true
    }
    TinyText {
        visible: !plot.compact
        anchors.bottom: parent.bottom
        text: qsTr("%1 ago").arg(plot.series.spanText)
        Accessible.ignored: true
    }
    TinyText {
        visible: !plot.compact
        x: parent.width - width
        anchors.bottom: parent.bottom
        text: qsTr("now")
        Accessible.ignored: true
    }
}
