import QtQuick
import Quire
import Quire.Models

/// Context usage: "1,204 / 8,192" and a bar.
Item {
    id: meter

    required property ChatModel chat
    property bool compact: false
    property bool hasRoom: true
    readonly property bool nearlyFull: meter.chat.composer.isContextNearlyFull
    readonly property bool isKnown: meter.chat.composer.isContextKnown
    /// Its width with the figures.
    readonly property real fullWidth: meter.isKnown ? label.implicitWidth + 12 + 64 : 0

    visible: meter.isKnown && meter.hasRoom
    implicitWidth: !meter.isKnown || !meter.hasRoom ? 0 : meter.compact ? 32 : meter.fullWidth
    implicitHeight: 20
    Accessible.role: Accessible.ProgressBar
    Accessible.name: qsTr("Context used: %1 tokens").arg(meter.chat.composer.contextText)

    Caption {
        id: label

        anchors.left: parent.left
        anchors.verticalCenter: parent.verticalCenter
        visible: !meter.compact
        text: meter.chat.composer.contextText
        color: meter.nearlyFull ? Theme.warning : Theme.ink2
        font.pixelSize: Theme.small
    }
    MeterBar {
        anchors.right: parent.right
        anchors.verticalCenter: parent.verticalCenter
        width: meter.compact ? 32 : 64
        height: 5
        value: meter.chat.composer.contextFraction
        leastWidth: 4
        tone: meter.nearlyFull ? Theme.warning : Theme.chatColor(meter.chat.colorIndex)
    }
    HoverHandler { id: hover }
    Hint {
        over: hover.hovered
        text: qsTr("%1 tokens of the model's context").arg(meter.chat.composer.contextText)
    }
}
