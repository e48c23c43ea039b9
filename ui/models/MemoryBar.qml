import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The memory that a model needs, by part, compared with free memory.
Column {
    id: bar

    required property MemoryForecast memory
    readonly property color tone: bar.memory.warns ? Theme.warning : Theme.accent

    spacing: 8
    Accessible.role: Accessible.StaticText
    Accessible.name: bar.memory.text

    Rectangle {
        visible: bar.memory.known
        width: parent.width
        height: 6
        radius: 3
        color: Theme.line

        Row {
            height: parent.height
            spacing: 1

            MemoryPart { share: bar.memory.weightsShare; whole: bar.width; tone: bar.tone; leads: true }
            MemoryPart { share: bar.memory.cacheShare; whole: bar.width; tone: bar.tone; strength: 0.75 }
            MemoryPart { share: bar.memory.workspaceShare; whole: bar.width; tone: bar.tone; strength: 0.5 }
        }
    }
    RowLayout {
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
        visible: text !== ""
        width: parent.width
        text: bar.memory.replacesText
    }
    SmallText {
        visible: text !== ""
        width: parent.width
        text: bar.memory.draftText
        wrapMode: Text.Wrap
        lineRatio: 1.6
    }
    SmallText {
        visible: text !== ""
        width: parent.width
        text: bar.memory.deviceText
        wrapMode: Text.Wrap
        lineRatio: 1.6
    }
}
