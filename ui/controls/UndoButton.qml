import QtQuick
import QtQuick.Controls.Basic
import Quire

/// The Undo button of a toast.
AbstractButton {
    id: button

    implicitHeight: 30
    implicitWidth: button.implicitContentWidth + 24
    hoverEnabled: true
    text: qsTr("Undo")
    Accessible.name: button.text
    Accessible.role: Accessible.Button

    contentItem: Caption {
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        text: button.text
        color: Theme.background
        font.weight: Font.DemiBold
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: button.hovered ? "#33808080" : "transparent"
        border.color: Theme.ink2

        FocusFrame { shown: button.visualFocus; radius: Theme.rowRadius + 2 }
    }
}
