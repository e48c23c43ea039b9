import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The memory that a model needs, by part, compared with free memory. Brief: the bar and the sum in one row.
Column {
    id: bar

    required property MemoryForecast memory
    property bool isBrief: false
    readonly property color tone: bar.memory.warns ? Theme.warning : Theme.accent

    spacing: 8
    Accessible.role: Accessible.StaticText
    Accessible.name: bar.memory.text

    Item {
        width: parent.width
        height: bar.isBrief ? Math.max(6, sum.height) : 6

        Rectangle {
            id: track

            anchors.left: parent.left
            visible: bar.memory.known
            anchors.verticalCenter: parent.verticalCenter
            width: bar.isBrief ? parent.width - sum.width - 16 : parent.width
            height: 6
            radius: 3
            color: Theme.line

            Row {
                anchors.left: parent.left
                height: parent.height
                spacing: 1

                MemoryPart { share: bar.memory.weightsShare; whole: track.width; tone: bar.tone; leads: true }
                MemoryPart { share: bar.memory.cacheShare; whole: track.width; tone: bar.tone; strength: 0.75 }
                MemoryPart { share: bar.memory.workspaceShare; whole: track.width; tone: bar.tone; strength: 0.5 }
            }
        }
        SmallText {
            id: sum

            visible: bar.isBrief
            x: bar.memory.known !== Theme.mirrored ? parent.width - width : 0
            text: bar.memory.text
            color: bar.memory.warns ? Theme.warning : Theme.ink2
        }
    }
    RowLayout {
        visible: !bar.isBrief
        width: parent.width
        spacing: 16

        Flow {
            visible: bar.memory.known
            Layout.fillWidth: true
            spacing: 14

            MemoryWord { text: bar.memory.weightsText; tone: bar.tone }
            MemoryWord { text: bar.memory.cacheText; tone: bar.tone; strength: 0.75 }
            MemoryWord { text: bar.memory.workspaceText; tone: bar.tone; strength: 0.5 }
        }
        Caption {
            Layout.alignment: Qt.AlignTop
            Layout.fillWidth: !bar.memory.known
            text: bar.memory.text
            color: bar.memory.warns ? Theme.warning : Theme.ink
            font.pixelSize: Theme.small
            font.weight: Font.Medium
        }
    }
    SmallText {
        visible: text !== "" && !bar.isBrief
        width: parent.width
        text: bar.memory.replacesText
    }
    SmallText {
        visible: text !== "" && !bar.isBrief
        width: parent.width
        text: bar.memory.draftText
        wrapMode: Text.Wrap
        lineRatio: 1.6
    }
    SmallText {
        visible: text !== "" && !bar.isBrief
        width: parent.width
        text: bar.memory.deviceText
        wrapMode: Text.Wrap
        lineRatio: 1.6
    }
}
