import QtQuick
import Quire

/// One of several icons or colours to choose from.
BaseButton {
    id: button

    required property string name
    required property string iconName
    required property bool chosen
    property color tint: Theme.accent

    implicitWidth: 36
    implicitHeight: 36
    stroke: button.chosen ? button.tint : Theme.line
    strokeWidth: button.chosen ? 2 : 1
    Accessible.name: button.chosen ? qsTr("%1, selected").arg(button.name) : button.name
    Accessible.role: Accessible.RadioButton

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            iconName: button.iconName
            size: 18
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
}
