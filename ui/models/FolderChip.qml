import QtQuick
import Quire

/// A folder that is scanned for models, with a button to remove it.
Rectangle {
    id: chip

    required property string path
    required property string shownPath

    signal removed()

    width: row.width + 18
    height: 28
    radius: 14
    color: Theme.surface
    border.color: Theme.line
    Accessible.role: Accessible.StaticText
    Accessible.name: chip.path

    Row {
        id: row

        anchors.verticalCenter: parent.verticalCenter
        anchors.left: parent.left
        anchors.leftMargin: 12
        spacing: 6

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            size: 14
            iconName: "folder"
        }
        SmallText {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, 320)
            text: chip.shownPath
            elide: Text.ElideMiddle
            font.weight: Font.Medium
        }
        IconButton {
            anchors.verticalCenter: parent.verticalCenter
            width: 20
            height: 20
            iconSize: 12
            iconName: "close"
            name: qsTr("Stop scanning %1. No files are changed.").arg(chip.shownPath)
            onClicked: chip.removed()
        }
    }
}
