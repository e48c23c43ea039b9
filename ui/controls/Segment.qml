import QtQuick
import Quire

/// One of the choices of a ChoiceRow.
BaseButton {
    id: segment

    implicitHeight: 28
    implicitWidth: Math.max(28, segment.implicitContentWidth + 2 * segment.leftPadding)
    leftPadding: 9
    rightPadding: 9
    focusDistance: 1
    radius: Theme.rowRadius - 2
    fill: segment.checked ? Theme.surface : segment.hovered ? Theme.hover : "transparent"
    stroke: segment.checked ? Theme.accent : "transparent"
    Accessible.role: Accessible.RadioButton
    Accessible.checked: segment.checked

    contentItem: Caption {
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        text: segment.text
        color: segment.checked ? Theme.accent : Theme.ink2
        font.pixelSize: Theme.small
        font.weight: segment.checked ? Font.DemiBold : Font.Medium
    }
}
