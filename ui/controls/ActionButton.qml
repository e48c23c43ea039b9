import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A text button. One of a group is the primary one.
Button {
    id: button

    property bool primary: false
    property string hintText: ""
    property string trailingIcon: ""

    implicitHeight: 32
    leftPadding: 14
    rightPadding: 14
    topPadding: 0
    bottomPadding: 0
    hoverEnabled: true
    Accessible.name: button.text

    contentItem: Row {
        spacing: 6
        opacity: button.enabled ? 1 : 0.55

        Caption {
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: button.text
            color: button.primary && button.enabled ? Theme.accentInk : Theme.ink
            font.weight: Font.DemiBold
        }
        Icon {
            visible: button.trailingIcon !== ""
            anchors.verticalCenter: parent.verticalCenter
            iconName: button.trailingIcon === "" ? "check" : button.trailingIcon
            width: 16
            height: 16
            color: button.primary && button.enabled ? Theme.accentInk : Theme.ink
        }
    }
    background: Rectangle {
        readonly property color filled: button.hovered ? Theme.accentHover : Theme.accent

        radius: Theme.rowRadius
        color: button.primary && button.enabled ? filled : button.hovered ? Theme.hover : "transparent"
        border.width: button.primary && button.enabled ? 0 : 1
        border.color: Theme.line

        FocusFrame {
            // Around the accent's own ground it stands a little off, or nobody would see it.
            anchors.margins: button.primary && button.enabled ? -4 : -2
            shown: button.visualFocus
            radius: Theme.rowRadius - anchors.margins
        }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
    Hint { over: button.hovered; held: button.pressed; text: button.hintText }
}
