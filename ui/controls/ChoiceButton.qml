import QtQuick
import Quire

/// One button of a group of choices.
BaseButton {
    id: button

    implicitHeight: 28
    leftPadding: 10
    rightPadding: 10
    stroke: button.checked ? Theme.accent : Theme.line
    Accessible.role: Accessible.RadioButton
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
