import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Layouts
import Quire

/// An item of an AppMenu: icon or colour, text, and its shortcut or the reason why it is disabled.
MenuItem {
    id: item

    property string iconName: ""
    property string keyText: ""
    property color dotColor: "transparent"
    property bool warns: false
    readonly property real strength: item.enabled ? 1 : 0.45

    implicitHeight: 34
    leftPadding: Theme.mirrored ? 12 : 10
    rightPadding: Theme.mirrored ? 10 : 12
    Accessible.name: item.text

    contentItem: RowLayout {
        spacing: 10

        Icon {
            iconName: item.iconName
            size: 16
            color: item.warns ? Theme.warning : Theme.ink2
            opacity: item.strength
        }
        Dot {
            visible: item.iconName === ""
            Layout.leftMargin: 4
            Layout.rightMargin: 4
            color: item.dotColor
            opacity: item.strength
        }
        Caption {
            Layout.fillWidth: true
            text: item.text
            color: item.warns ? Theme.warning : Theme.ink
            opacity: item.strength
        }
        SmallText {
            visible: item.keyText !== ""
            text: item.keyText
        }
        Icon {
            visible: item.subMenu !== null
            iconName: "right"
            opacity: item.strength
            size: 14
        }
        Icon {
            visible: item.checked
            iconName: "check"
            size: 16
            color: Theme.accent
        }
    }
    indicator: null
    arrow: null
    background: Rectangle {
        radius: Theme.rowRadius
        color: item.highlighted && item.enabled ? Theme.hover : "transparent"
    }
}
