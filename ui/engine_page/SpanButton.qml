import QtQuick
import QtQuick.Controls.Basic
import Quire

/// One of the time ranges.
AbstractButton {
    id: button

    implicitHeight: 30
    implicitWidth: button.implicitContentWidth + 24
    hoverEnabled: true
    checkable: false
    Accessible.name: button.text
    Accessible.role: Accessible.RadioButton

    contentItem: Caption {
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        text: button.text
        color: button.checked ? Theme.accent : Theme.ink2
        font.pixelSize: Theme.small
        font.weight: Font.Medium
    }
    background: Rectangle {
        radius: height / 2
        color: button.hovered && !button.checked ? Theme.hover : "transparent"
        border.color: button.checked ? Theme.accent : Theme.line

        FocusFrame { shown: button.visualFocus; radius: height / 2 }
    }
}
