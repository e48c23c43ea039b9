import QtQuick
import QtQuick.Controls.Basic
import Quire

/// One button of a group of choices.
AbstractButton {
    id: button

    implicitHeight: 28
    implicitWidth: button.implicitContentWidth + 20
    hoverEnabled: true
    Accessible.role: Accessible.RadioButton
    Accessible.name: button.text
    Accessible.checked: button.checked

    contentItem: Caption {
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        text: button.text
        color: button.checked ? Theme.accent : Theme.ink
        font.pixelSize: Theme.small
        font.weight: button.checked ? Font.DemiBold : Font.Normal
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: button.hovered ? Theme.hover : "transparent"
        border.color: button.checked ? Theme.accent : Theme.line

        FocusFrame { shown: button.visualFocus; radius: Theme.rowRadius + 2 }
    }
}
