import QtQuick
import Quire

/// A pill-shaped button.
BaseButton {
    id: button

    property string iconName: ""
    property bool filled: false

    implicitHeight: 34
    leftPadding: 14
    rightPadding: 14
    focusPolicy: Qt.TabFocus  // A click leaves the focus in the composer.
    radius: button.height / 2
    fill: button.filled ? Theme.surface : button.hovered ? Theme.hover : "transparent"
    stroke: button.hovered ? Theme.ink3 : Theme.line

    contentItem: Row {
        spacing: 6

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            iconName: button.iconName
            size: 14
            color: Theme.ink
        }
        Caption {
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: button.text
            color: button.enabled ? Theme.ink : Theme.ink2
        }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
}
