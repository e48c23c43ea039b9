import QtQuick
import Quire

/// A button with an icon at the left and a short detail at the right, as wide as the sidebar.
BaseButton {
    id: button

    required property string iconName
    property string detail: ""

    implicitHeight: 36
    fill: button.checked ? Theme.surface : button.hovered ? Theme.hover : "transparent"
    stroke: button.checked ? Theme.line : "transparent"
    Accessible.description: button.detail
    Accessible.role: Accessible.PageTab

    contentItem: Item {
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            x: 10
            iconName: button.iconName
            size: 16
            color: button.checked ? Theme.ink : Theme.ink2
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            x: 34
            text: button.text
            color: button.checked ? Theme.ink : Theme.ink2
            font.weight: button.checked ? Font.DemiBold : Font.Normal
        }
        SmallText {
            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            anchors.rightMargin: 12
            text: button.detail
        }
    }
}
