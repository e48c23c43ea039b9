import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Layouts
import Quire

/// A preset: badge, name, description, and whether it was added.
MenuItem {
    id: item

    required property string presetId
    required property string name
    required property string description
    required property string iconName
    required property int colorIndex
    required property bool isAdded

    implicitHeight: Math.max(52, item.contentItem.implicitHeight + 14)
    leftPadding: Theme.mirrored ? 12 : 10
    rightPadding: Theme.mirrored ? 10 : 12
    text: item.name
    indicator: null
    Accessible.name: item.name
    Accessible.description: item.description

    contentItem: RowLayout {
        spacing: 12

        PersonaBadge { iconName: item.iconName; colorIndex: item.colorIndex }
        ColumnLayout {
            Layout.fillWidth: true
            spacing: 2

            Caption {
                Layout.fillWidth: true
                text: item.name
                font.weight: Font.DemiBold
            }
            SmallText {
                Layout.fillWidth: true
                text: item.description
                wrapMode: Text.Wrap
            }
        }
        SmallText {
            visible: item.isAdded
            text: qsTr("added")
        }
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: item.highlighted ? Theme.hover : "transparent"
    }
}
