import QtQuick
import Quire

/// A chat's tab in PaneTabs.
BaseButton {
    id: tab

    required property color dotColor
    required property bool current
    required property bool shown
    required property bool generating

    implicitHeight: 28
    implicitWidth: Math.min(180, tab.implicitContentWidth + 20)
    leftPadding: 10
    rightPadding: 10
    fill: tab.shown ? Theme.surface : tab.hovered ? Theme.hover : "transparent"
    stroke: tab.current ? Theme.accent : Theme.line
    strokeWidth: tab.shown ? 1 : 0
    Accessible.role: Accessible.PageTab
    Accessible.name: tab.generating ? qsTr("%1, answering").arg(tab.text) : tab.text

    contentItem: Row {
        spacing: 8

        Dot {
            anchors.verticalCenter: parent.verticalCenter
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
}
