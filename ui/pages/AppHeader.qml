import QtQuick
import Quire
import Quire.Models

/// The upper edge of the window: which model answers, on what, and how fast all chats go together.
Item {
    id: header

    required property EngineStatus engine

    implicitHeight: 48

    Row {
        anchors.verticalCenter: parent.verticalCenter
        x: 16
        spacing: 10

        Chip {
            text: header.engine.modelLabel
            hintText: header.engine.modelHint
        }
        Chip {
            visible: text !== ""
            text: header.engine.deviceName
            hintText: header.engine.deviceHint
        }
    }
    Caption {
        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        anchors.rightMargin: 20
        text: header.engine.throughputText
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
    Rectangle {
        anchors.bottom: parent.bottom
        width: parent.width
        height: 1
        color: Theme.line
    }
    Rectangle {
        visible: header.engine.loading
        anchors.bottom: parent.bottom
        width: parent.width * header.engine.progress
        height: 2
        color: Theme.accent
    }
}
