import QtQuick
import Quire

/// One of several choices that can be combined.
BaseButton {
    id: button

    implicitHeight: 28
    leftPadding: 10
    rightPadding: 10
    stroke: button.checked ? Theme.accent : Theme.line
    Accessible.role: Accessible.CheckBox
    Accessible.checkable: true
    Accessible.checked: button.checked

    contentItem: Caption {
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        text: button.text
        color: button.checked ? Theme.accent : Theme.ink
        font.pixelSize: Theme.small
        font.weight: button.checked ? Font.DemiBold : Font.Normal
    }
}
