import QtQuick
import Quire

/// Sets the number of panes.
BaseButton {
    id: button

    required property int count

    objectName: "panes" + button.count
    implicitHeight: 28
    implicitWidth: 44
    radius: button.height / 2
    fill: button.hovered ? Theme.hover : button.checked ? Theme.surface : "transparent"
    stroke: button.checked ? Theme.accent : Theme.line
    text: button.count
    Accessible.role: Accessible.RadioButton
    Accessible.checked: button.checked
    Accessible.name: qsTr("%n pane(s)", "", button.count)

    contentItem: Item {
        Row {
            anchors.centerIn: parent
            spacing: 4

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                size: 16
                iconName: "panes-" + button.count
                color: button.checked ? Theme.accent : Theme.ink2
            }
            Caption {
                anchors.verticalCenter: parent.verticalCenter
                text: button.text
                color: button.checked ? Theme.accent : Theme.ink2
                font.pixelSize: Theme.small
                font.weight: Font.Medium
            }
        }
    }
    Hint {
        over: button.hovered
        held: button.pressed
        text: qsTr("%1 (Ctrl+%2)").arg(button.Accessible.name).arg(button.count)
    }
}
