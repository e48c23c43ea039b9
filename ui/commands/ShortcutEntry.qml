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

    Heading {
        anchors.left: parent.left
        visible: entry.isFirst
        topPadding: 20
        bottomPadding: 8
        text: entry.group
        color: Theme.ink2
        font.pixelSize: Theme.tiny
    }
    Item {
        width: entry.width
        height: 38

        Line { anchors.bottom: parent.bottom; width: parent.width }
        Caption {
            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            width: parent.width - caps.width - 16
            text: entry.text
        }
        Row {
            id: caps

            objectName: "keyCaps"
            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            spacing: 6
            layoutDirection: Theme.mirrored ? Qt.RightToLeft : Qt.LeftToRight  // Mirrored again: Ctrl comes first.

            Repeater {
                model: entry.keys

                Rectangle {
                    id: cap

                    required property string modelData

                    implicitWidth: keyText.implicitWidth + 16
                    implicitHeight: 24
                    radius: 6
                    color: Theme.bubble
                    border.color: Theme.line

                    SmallText {
                        id: keyText

                        anchors.centerIn: parent
                        text: cap.modelData
                    }
                }
            }
        }
    }
}
