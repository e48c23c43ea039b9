import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A flat text button inside an answer, such as Show more or Wrap.
AbstractButton {
    id: button

    implicitWidth: button.implicitContentWidth + 16
    implicitHeight: 24
    hoverEnabled: true
    focusPolicy: Qt.TabFocus  // A click leaves the keyboard where one writes.
    Accessible.role: Accessible.Button
    Accessible.name: button.text
    Keys.onReturnPressed: button.clicked()
    Keys.onEnterPressed: button.clicked()

    contentItem: Caption {
        verticalAlignment: Text.AlignVCenter
        horizontalAlignment: Text.AlignHCenter
        text: button.text
        color: button.hovered ? Theme.ink : Theme.ink2
        font.pixelSize: Theme.tiny
    }
    background: Rectangle {
        radius: 6
        color: button.hovered ? Theme.hover : "transparent"

        FocusFrame { shown: button.visualFocus; radius: 8 }
    }
}
