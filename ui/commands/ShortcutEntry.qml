pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// A command and its keys, with the heading of its group above the first.
Column {
    id: entry

    required property string text
    required property string group
    required property list<string> keys
    required property bool isFirst

    Caption {
        visible: entry.isFirst
        topPadding: 20
        bottomPadding: 8
        text: entry.group
        color: Theme.ink2
        font.pixelSize: Theme.tiny
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }
    Item {
        width: entry.width
        height: 38

        Rectangle {
            anchors.bottom: parent.bottom
            width: parent.width
            height: 1
            color: Theme.line
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            width: parent.width - caps.width - 16
            text: entry.text
        }
        Row {
            id: caps

            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            spacing: 6

            Repeater {
                model: entry.keys

                KeyCap {
                    required property string modelData

                    text: modelData
                }
            }
        }
    }
}
