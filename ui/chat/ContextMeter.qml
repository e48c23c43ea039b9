import QtQuick
import Quire
import Quire.Models

/// Context usage: "1,204 / 8,192" and a bar.
Item {
    id: meter

    required property ChatModel chat
    property bool compact: false
    readonly property bool nearlyFull: meter.chat.composer.contextFraction > 0.85

    visible: meter.chat.composer.contextFraction > 0
    implicitWidth: (meter.compact ? 0 : label.implicitWidth + 12) + bar.width
    implicitHeight: 20
    Accessible.role: Accessible.ProgressBar
    Accessible.name: qsTr("Context used: %1 tokens").arg(meter.chat.composer.contextText)

    Caption {
        id: label

        anchors.verticalCenter: parent.verticalCenter
        visible: !meter.compact
        text: meter.chat.composer.contextText
        color: meter.nearlyFull ? Theme.warning : Theme.ink2
        font.pixelSize: Theme.small
    }
    Rectangle {
        id: bar

        anchors.right: parent.right
        anchors.verticalCenter: parent.verticalCenter
        width: meter.compact ? 32 : 64
        height: 5
        radius: 2
        color: Theme.line

        Rectangle {
            width: meter.chat.composer.contextFraction > 0 ? Math.max(4, parent.width * meter.chat.composer.contextFraction) : 0
            height: parent.height
            radius: 2
            color: meter.nearlyFull ? Theme.warning : Theme.chatColor(meter.chat.colorIndex)

            Behavior on width {
                NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic }
            }
        }
    }
    HoverHandler { id: hover }
    Hint {
        over: hover.hovered
        text: qsTr("%1 tokens of the model's context").arg(meter.chat.composer.contextText)
    }
}
