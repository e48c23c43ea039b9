import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A flat icon button; its name is its tooltip and its accessible name.
AbstractButton {
    id: button

    required property string iconName
    required property string name
    property string hintText: name
    property int iconSize: 16

    implicitWidth: 28
    implicitHeight: 28
    hoverEnabled: true
    Accessible.name: button.name
    Accessible.role: Accessible.Button

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            iconName: button.iconName
            width: button.iconSize
            height: button.iconSize
            color: button.hovered || button.visualFocus ? Theme.ink : Theme.ink2
            opacity: button.enabled ? 1 : 0.4
        }
    }
    background: Rectangle {
        radius: 6
        color: button.hovered ? Theme.hover : "transparent"

        FocusFrame { shown: button.visualFocus; radius: 8 }
    }
    Hint { over: button.hovered; held: button.pressed; text: button.hintText }
}
