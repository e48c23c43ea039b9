import QtQuick
import QtQuick.Controls.Basic
import Quire

/// The base of all buttons: accessible name, role and action, coloured frame, and focus ring.
AbstractButton {
    id: button

    property real radius: Theme.rowRadius
    property color fill: button.hovered ? Theme.hover : "transparent"
    property color stroke: "transparent"
    property real strokeWidth: button.stroke.a > 0 ? 1 : 0
    property real focusDistance: 2  ///< From the frame to the focus ring.

    hoverEnabled: true
    Accessible.name: button.text
    Accessible.role: Accessible.Button
    Accessible.onPressAction: button.enabled && button.clicked()  // Qt 6.4's AbstractButton does nothing.

    background: Rectangle {
        radius: button.radius
        color: button.fill
        border.width: button.strokeWidth
        border.color: button.stroke

        FocusFrame {
            anchors.margins: -button.focusDistance
            shown: button.visualFocus
            radius: button.radius + button.focusDistance
        }
    }
}
