import QtQuick
import Quire

/// A switch.
BaseButton {
    id: control

    required property string name

    implicitWidth: 40
    implicitHeight: 24
    radius: control.height / 2
    fill: control.checked ? Theme.accent : Theme.bubble
    stroke: Theme.ink3
    strokeWidth: control.checked ? 0 : 1
    Accessible.name: control.name
    Accessible.role: Accessible.CheckBox
    Accessible.checkable: true
    Accessible.checked: control.checked

    contentItem: Item {
        Rectangle {
            anchors.verticalCenter: parent.verticalCenter
            x: control.checked !== Theme.mirrored ? control.width - width - 3 : 3
            width: 18
            height: 18
            radius: 9
            color: control.checked ? Theme.accentInk : Theme.ink2

            Behavior on x {
                NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic }
            }
        }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
}
