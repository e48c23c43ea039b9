import QtQuick
import Quire

/// A text button. One of a group is the primary one.
BaseButton {
    id: button

    property bool primary: false
    property string hintText: ""
    property string trailingIcon: ""
    readonly property bool isFilled: button.primary && button.enabled
    readonly property color ink: button.isFilled ? Theme.accentInk : Theme.ink

    implicitHeight: 32
    leftPadding: 14
    rightPadding: 14
    fill: !button.isFilled ? button.hovered ? Theme.hover : "transparent" : button.hovered ? Theme.accentHover : Theme.accent
    stroke: Theme.line
    strokeWidth: button.isFilled ? 0 : 1
    // The focus ring has the accent colour: it needs a gap to a filled button.
    focusDistance: button.isFilled ? 4 : 2

    contentItem: Row {
        spacing: 6
        opacity: button.enabled ? 1 : 0.55

        Caption {
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: button.text
            color: button.ink
            font.weight: Font.DemiBold
        }
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            iconName: button.trailingIcon
            size: 16
            color: button.ink
        }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
    Hint { over: button.hovered; held: button.pressed; text: button.hintText }
}
