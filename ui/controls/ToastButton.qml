import QtQuick
import Quire

/// A button in a dark toast.
BaseButton {
    id: button

    implicitHeight: 30
    leftPadding: 12
    rightPadding: 12
    fill: button.hovered ? "#33808080" : "transparent"
    stroke: Theme.ink2

    contentItem: Caption {
        verticalAlignment: Text.AlignVCenter
        text: button.text
        color: Theme.background
        font.weight: Font.DemiBold
    }
}
