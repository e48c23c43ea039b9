import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A small label in a pill; clickable where it opens something.
AbstractButton {
    id: chip

    property string hintText: ""
    property bool opensMenu: false
    property bool active: false
    property real maximumTextWidth: 320

    implicitHeight: 28
    implicitWidth: chip.implicitContentWidth + chip.leftPadding + chip.rightPadding
    leftPadding: 12
    rightPadding: 12
    hoverEnabled: true
    // A click leaves the keyboard where one writes.
    focusPolicy: chip.opensMenu ? Qt.TabFocus : Qt.NoFocus
    Accessible.name: chip.text
    Accessible.description: chip.hintText
    Accessible.role: chip.opensMenu ? Accessible.ButtonMenu : Accessible.StaticText

    contentItem: Row {
        spacing: 6

        Caption {
            width: Math.min(implicitWidth, chip.maximumTextWidth)
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: chip.text
            color: chip.active ? Theme.accent : Theme.ink2
            font.pixelSize: Theme.small
            font.weight: Font.Medium
        }
        Icon {
            visible: chip.opensMenu
            anchors.verticalCenter: parent.verticalCenter
            iconName: "down"
            width: 12
            height: 12
            color: chip.active ? Theme.accent : Theme.ink2
        }
    }
    background: Rectangle {
        radius: height / 2
        color: chip.opensMenu && chip.hovered ? Theme.hover : Theme.surface
        border.color: chip.active ? Theme.accent : Theme.line

        FocusFrame { shown: chip.visualFocus; radius: height / 2 }
    }
    Hint { over: chip.hovered; held: chip.pressed; text: chip.hintText }
}
