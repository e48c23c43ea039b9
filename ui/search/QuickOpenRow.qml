import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Layouts
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

    contentItem: RowLayout {
        spacing: 10

        Rectangle {
            visible: row.hasDot
            Layout.preferredWidth: 8
            Layout.preferredHeight: 8
            Layout.alignment: row.detail === "" ? Qt.AlignVCenter : Qt.AlignTop
            Layout.topMargin: row.detail === "" ? 0 : 13
            radius: Theme.dotRadius
            color: row.dotColor
        }
        ColumnLayout {
            Layout.fillWidth: true
            spacing: 2

            MarkedText {
                Layout.fillWidth: true
                text: row.title
            }
            MarkedText {
                visible: row.detail !== ""
                Layout.fillWidth: true
                text: row.detail
                color: Theme.ink2
                font.pixelSize: Theme.small
            }
        }
        Caption {
            Layout.alignment: row.detail === "" ? Qt.AlignVCenter : Qt.AlignTop
            Layout.topMargin: row.detail === "" ? 0 : 9
            text: row.trailing
            color: Theme.ink2
            font.pixelSize: Theme.tiny
        }
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: row.isCurrent ? Theme.hover : "transparent"
        border.width: row.isCurrent ? 1 : 0
        border.color: Theme.line
    }
}
