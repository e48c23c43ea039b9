import QtQuick
import QtQuick.Controls.Basic
import Quire

/// One of several icons or colours to choose from.
AbstractButton {
    id: button

    required property string name
    required property string iconName
    required property bool chosen
    property color tint: Theme.accent

    implicitWidth: 36
    implicitHeight: 36
    hoverEnabled: true
    Accessible.name: button.chosen ? qsTr("%1, selected").arg(button.name) : button.name
    Accessible.role: Accessible.RadioButton

    contentItem: Item {
        Icon {
            visible: button.iconName !== ""
            anchors.centerIn: parent
            iconName: button.iconName === "" ? "check" : button.iconName
            width: 18
            height: 18
            color: button.chosen ? button.tint : Theme.ink2
        }
        Rectangle {
            visible: button.iconName === ""
            anchors.centerIn: parent
            width: 18
            height: 18
            radius: 6
            color: button.tint
        }
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: button.hovered ? Theme.hover : "transparent"
        border.width: button.chosen ? 2 : 1
        border.color: button.chosen ? button.tint : Theme.line

        FocusFrame { shown: button.visualFocus; radius: Theme.rowRadius + 2 }
    }
}
