import QtQuick
import Quire

/// A button with an icon at the left and a short detail at the right, as wide as the sidebar.
BaseButton {
    id: button

    required property string iconName
    property string detail: ""
    property real labelWidth: 0  // Of the whole label; an id in the content item would make it immediate.
    property color ink: button.checked ? Theme.ink : Theme.ink2

    implicitHeight: 36
    fill: button.checked ? Theme.selected : button.hovered ? Theme.hover : "transparent"
    font.weight: button.checked ? Font.DemiBold : Font.Normal
    Accessible.description: button.detail
    Accessible.role: Accessible.PageTab

    SelectionMark { shown: button.checked }

    contentItem: Item {
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.leftMargin: 10
            iconName: button.iconName
            size: 16
            color: button.ink
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.leftMargin: 34
            width: Math.min(implicitWidth, parent.width - 34 - 12)
            onImplicitWidthChanged: button.labelWidth = implicitWidth
            text: button.text
            color: button.ink
            font.weight: button.font.weight
        }
        SmallText {
            objectName: "navDetail"
            visible: 34 + button.labelWidth + 8 + implicitWidth + 12 <= parent.width  // Else the label has its place.
            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            anchors.rightMargin: 12
            text: button.detail
        }
    }
}
