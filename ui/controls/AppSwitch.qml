import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A switch.
AbstractButton {
    id: control

    required property string name

    implicitWidth: 40
    implicitHeight: 24
    checkable: false
    hoverEnabled: true
    Accessible.name: control.name
    Accessible.role: Accessible.CheckBox
    Accessible.checkable: true
    Accessible.checked: control.checked

    contentItem: Item {
        Rectangle {
            anchors.verticalCenter: parent.verticalCenter
            x: control.checked ? control.width - width - 3 : 3
            width: 18
            height: 18
            radius: 9
            color: control.checked ? Theme.accentInk : Theme.ink2

            Behavior on x {
                NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic }
            }
        }
    }
    background: Rectangle {
        radius: height / 2
        color: control.checked ? Theme.accent : Theme.bubble
        border.width: control.checked ? 0 : 1
        border.color: Theme.ink3

        FocusFrame { shown: control.visualFocus; radius: height / 2 }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
}
