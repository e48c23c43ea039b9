import QtQuick
import Quire

/// A flat icon button; its name is its tooltip and its accessible name.
BaseButton {
    id: button

    required property string iconName
    required property string name
    property string hintText: name
    property int iconSize: 16
    property color ink: button.checked ? Theme.accent : button.hovered || button.visualFocus ? Theme.ink : Theme.ink2

    implicitWidth: 28
    implicitHeight: 28
    radius: 6
    fill: button.checked ? Theme.selected : button.hovered ? Theme.hover : "transparent"
    Accessible.name: button.name

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            iconName: button.iconName
            size: button.iconSize
            color: button.ink
            opacity: button.enabled ? 1 : 0.4
        }
    }
    Hint { over: button.hovered; held: button.pressed; text: button.hintText }
}
