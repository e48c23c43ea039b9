import QtQuick
import QtQuick.Controls.Basic
import Quire

/// One of the sort orders.
AbstractButton {
    id: button

    implicitHeight: 32
    leftPadding: 12
    rightPadding: 12
    implicitWidth: button.implicitContentWidth + button.leftPadding + button.rightPadding
    hoverEnabled: true
    Accessible.name: button.text
    Accessible.role: Accessible.RadioButton
    Accessible.checked: button.checked

    contentItem: Caption {
        verticalAlignment: Text.AlignVCenter
        text: button.text
        color: button.checked ? Theme.ink : Theme.ink2
        font.pixelSize: Theme.small
        font.weight: button.checked ? Font.DemiBold : Font.Medium
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: button.checked ? Theme.surface : button.hovered ? Theme.hover : "transparent"
        border.width: button.checked ? 1 : 0
        border.color: Theme.line

        FocusFrame { shown: button.visualFocus; radius: Theme.rowRadius + 2 }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
}
