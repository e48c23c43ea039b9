import QtQuick
import QtQuick.Controls.Basic
import Quire

/// Sets the number of panes.
AbstractButton {
    id: button

    required property int count

    objectName: "panes" + button.count
    implicitHeight: 28
    implicitWidth: 44
    hoverEnabled: true
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
                width: 16
                height: 16
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
    background: Rectangle {
        radius: height / 2
        color: button.hovered ? Theme.hover : button.checked ? Theme.surface : "transparent"
        border.color: button.checked ? Theme.accent : Theme.line

        FocusFrame { shown: button.visualFocus; radius: height / 2 + 2 }
    }
    Hint {
        over: button.hovered
        held: button.pressed
        text: qsTr("%1 (Ctrl+%2)").arg(button.Accessible.name).arg(button.count)
    }
}
