import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A chat's tab in PaneTabs.
AbstractButton {
    id: tab

    required property color dotColor
    required property bool current
    required property bool shown
    required property bool generating

    implicitHeight: 28
    implicitWidth: Math.min(180, tab.implicitContentWidth + 20)
    leftPadding: 10
    rightPadding: 10
    hoverEnabled: true
    Accessible.role: Accessible.PageTab
    Accessible.name: tab.generating ? qsTr("%1, answering").arg(tab.text) : tab.text

    contentItem: Row {
        spacing: 8

        Rectangle {
            anchors.verticalCenter: parent.verticalCenter
            width: 8
            height: 8
            radius: Theme.dotRadius
            color: tab.dotColor
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, 130)
            text: tab.text
            color: tab.shown ? Theme.ink : Theme.ink2
            font.pixelSize: Theme.small
            font.weight: tab.current ? Font.DemiBold : Font.Normal
        }
        ActivityMark {
            visible: tab.generating
            anchors.verticalCenter: parent.verticalCenter
            color: tab.dotColor
        }
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: tab.shown ? Theme.surface : tab.hovered ? Theme.hover : "transparent"
        border.width: tab.shown ? 1 : 0
        border.color: tab.current ? Theme.accent : Theme.line

        FocusFrame { shown: tab.visualFocus; radius: Theme.rowRadius + 2 }
    }
}
