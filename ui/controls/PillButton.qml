import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A pill-shaped button.
AbstractButton {
    id: button

    property string iconName: ""
    property bool filled: false

    implicitHeight: 34
    implicitWidth: button.implicitContentWidth + button.leftPadding + button.rightPadding
    leftPadding: 14
    rightPadding: 14
    hoverEnabled: true
    focusPolicy: Qt.TabFocus  // A click leaves the keyboard where one writes.
    Accessible.name: button.text
    Accessible.role: Accessible.Button

    contentItem: Row {
        spacing: 6

        Icon {
            visible: button.iconName !== ""
            anchors.verticalCenter: parent.verticalCenter
            iconName: button.iconName === "" ? "check" : button.iconName
            width: 14
            height: 14
            color: Theme.ink
        }
        Caption {
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: button.text
            color: button.enabled ? Theme.ink : Theme.ink2
        }
    }
    background: Rectangle {
        radius: height / 2
        color: button.filled ? Theme.surface : button.hovered ? Theme.hover : "transparent"
        border.color: button.hovered ? Theme.ink3 : Theme.line

        FocusFrame { shown: button.visualFocus; radius: height / 2 }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
}
