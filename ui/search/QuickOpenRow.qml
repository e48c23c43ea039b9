import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A chat, a message or a command that matches, with the match in bold.
ItemDelegate {
    id: row

    required property string title
    required property string detail
    required property string trailing
    required property color dotColor
    required property bool hasDot
    required property bool isCurrent

    implicitHeight: row.detail === "" ? 38 : 58
    leftPadding: 12
    rightPadding: 12
    hoverEnabled: true
    focusPolicy: Qt.NoFocus
    highlighted: row.isCurrent
    Accessible.name: row.title.replace(/<[^>]*>/g, "")
    Accessible.description: row.detail.replace(/<[^>]*>/g, "")
    Accessible.selected: row.isCurrent

    // Placed by hand: layouts would cost most of what a typed letter may take.
    contentItem: Item {
        Rectangle {
            visible: row.hasDot
            y: row.detail === "" ? Math.round((parent.height - height) / 2) : 13
            width: 8
            height: 8
            radius: Theme.dotRadius
            color: row.dotColor
        }
        Column {
            anchors.verticalCenter: parent.verticalCenter
            x: row.hasDot ? 18 : 0
            width: time.x - row.leftPadding - x - 10
            spacing: 2

            MarkedText {
                width: parent.width
                text: row.title
            }
            MarkedText {
                visible: row.detail !== ""
                width: parent.width
                text: row.detail
                color: Theme.ink2
                font.pixelSize: Theme.small
            }
        }
    }
    Caption {
        id: time

        anchors.right: parent.right
        anchors.rightMargin: row.rightPadding
        y: row.detail === "" ? Math.round((parent.height - height) / 2) : row.topPadding + 9
        text: row.trailing
        color: Theme.ink2
        font.pixelSize: Theme.tiny
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: row.isCurrent ? Theme.hover : "transparent"
        border.width: row.isCurrent ? 1 : 0
        border.color: Theme.line
    }
}
