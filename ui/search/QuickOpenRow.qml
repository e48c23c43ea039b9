import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A chat, a message or a command that matches, with the match in bold; the heading of its group above the first.
Column {
    id: entry

    required property QuickOpen quick
    required property int index
    required property string title
    required property string detail
    required property string trailing
    required property int colorIndex
    required property string iconName  // A command's; empty for a chat or a message, which has a dot.
    required property string heading
    readonly property bool isCurrent: ListView.isCurrentItem

    SectionLabel {
        width: parent.width
        startPadding: 20
        text: entry.heading
    }
    ItemDelegate {
        id: row

        x: 8
        width: parent.width - 16
        implicitHeight: entry.detail === "" ? 38 : 58
        leftPadding: 12
        rightPadding: 12
        hoverEnabled: true
        focusPolicy: Qt.NoFocus
        highlighted: entry.isCurrent
        Accessible.name: entry.title.replace(/<[^>]*>/g, "")
        Accessible.description: entry.detail.replace(/<[^>]*>/g, "")
        Accessible.selected: entry.isCurrent
        onHoveredChanged: hovered && entry.quick.point(entry.index)
        onClicked: entry.quick.activate(entry.index)

        // Positioned without layouts, which would take most of the time allowed for a keystroke.
        contentItem: Item {
            Dot {
                anchors.left: parent.left
                visible: entry.iconName === ""
                y: entry.detail === "" ? Math.round((parent.height - height) / 2) : 13
                color: Theme.chatColor(entry.colorIndex)
            }
            Icon {
                anchors.verticalCenter: parent.verticalCenter
                anchors.left: parent.left
                size: 16
                iconName: entry.iconName
            }
            Column {
                anchors.verticalCenter: parent.verticalCenter
                anchors.left: parent.left
                anchors.leftMargin: entry.iconName === "" ? 18 : 26
                width: row.availableWidth - anchors.leftMargin - time.width - 10
                spacing: 2

                MarkedText {
                    width: parent.width
                    text: entry.title
                }
                MarkedText {
                    visible: entry.detail !== ""
                    width: parent.width
                    text: entry.detail
                    color: Theme.ink2
                    font.pixelSize: Theme.small
                }
            }
        }
        background: Rectangle {
            radius: Theme.rowRadius
            color: entry.isCurrent ? Theme.hover : "transparent"
            border.width: entry.isCurrent ? 1 : 0
            border.color: Theme.line
        }

        TinyText {
            id: time

            anchors.right: parent.right
            anchors.rightMargin: row.rightPadding
            y: entry.detail === "" ? Math.round((parent.height - height) / 2) : row.topPadding + 9
            text: entry.trailing
        }
    }
}
