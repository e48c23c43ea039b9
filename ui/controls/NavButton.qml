import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A link to a page at the bottom of the sidebar, with an optional count.
AbstractButton {
    id: button

    property string countText: ""
    property string iconName: ""

    implicitHeight: 36
    hoverEnabled: true
    checkable: false
    Accessible.name: button.text
    Accessible.description: button.countText
    Accessible.role: Accessible.PageTab

    contentItem: Item {
        Icon {
            visible: button.iconName !== ""
            anchors.verticalCenter: parent.verticalCenter
            x: 10
            iconName: button.iconName === "" ? "check" : button.iconName
            width: 16
            height: 16
            color: button.checked ? Theme.ink : Theme.ink2
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            x: button.iconName === "" ? 8 : 34
            text: button.text
            color: button.checked ? Theme.ink : Theme.ink2
            font.weight: button.checked ? Font.DemiBold : Font.Normal
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            anchors.rightMargin: 12
            text: button.countText
            color: Theme.ink2
            font.pixelSize: Theme.small
        }
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: button.checked ? Theme.surface : button.hovered ? Theme.hover : "transparent"
        border.width: button.checked ? 1 : 0
        border.color: Theme.line

        FocusFrame { shown: button.visualFocus; radius: Theme.rowRadius + 2 }
    }
}
