import QtQuick
import Quire

/// A small label in a pill; clickable where it opens something.
BaseButton {
    id: chip

    property string hintText: ""
    property string iconName: ""
    property bool opensMenu: false
    property bool active: false
    property real maximumTextWidth: 320
    /// Its width but for the text, and that of its whole text.
    readonly property real chrome: 24 + (chip.iconName === "" ? 0 : 20) + (chip.opensMenu ? 18 : 0)
    readonly property real fullTextWidth: Math.ceil(measured.advanceWidth)

    implicitHeight: 28
    leftPadding: 12
    rightPadding: 12
    // A click leaves the focus in the composer.
    focusPolicy: chip.opensMenu ? Qt.TabFocus : Qt.NoFocus
    radius: chip.height / 2
    fill: chip.opensMenu && chip.hovered ? Theme.hover : Theme.surface
    stroke: chip.active ? Theme.accent : Theme.line
    Accessible.description: chip.hintText
    Accessible.role: chip.opensMenu ? Accessible.ButtonMenu : Accessible.StaticText

    TextMetrics {
        id: measured

        text: chip.text
        font.family: Theme.sans
        font.pixelSize: Theme.small
        font.weight: Font.Medium
    }

    contentItem: Row {
        spacing: 6

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            iconName: chip.iconName
            size: 14
            color: chip.active ? Theme.accent : Theme.ink2
        }
        SmallText {
            width: Math.min(implicitWidth, chip.maximumTextWidth)
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: chip.text
            color: chip.active ? Theme.accent : Theme.ink2
            font.weight: Font.Medium
        }
        Icon {
            visible: chip.opensMenu
            anchors.verticalCenter: parent.verticalCenter
            iconName: "down"
            size: 12
            color: chip.active ? Theme.accent : Theme.ink2
        }
    }
    Hint { over: chip.hovered; held: chip.pressed; text: chip.hintText }
}
