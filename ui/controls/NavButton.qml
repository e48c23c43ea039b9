import QtQuick
import Quire

/// A button with an icon at the left and a short detail at the right, as wide as the sidebar.
BaseButton {
    id: button

    required property string iconName
    property string detail: ""
    // With an id on the label, Qt would create the content item at once instead of when it is needed.
    property real labelWidth: 0
    readonly property int labelStart: 34
    readonly property int endMargin: 12
    readonly property int gap: 8  ///< Between the label and the detail.
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
            anchors.leftMargin: button.labelStart
            width: Math.min(implicitWidth, parent.width - button.labelStart - button.endMargin)
            onImplicitWidthChanged: button.labelWidth = implicitWidth
            text: button.text
            color: button.ink
            font.weight: button.font.weight
        }
        SmallText {
            objectName: "navDetail"
            // Hidden where the whole label needs its place.
            visible: button.labelStart + button.labelWidth + button.gap + implicitWidth + button.endMargin <= parent.width
            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            anchors.rightMargin: button.endMargin
            text: button.detail
        }
    }
}
