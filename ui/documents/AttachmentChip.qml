pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// A file of a message: its name, its size or error; opens it, and removes it where possible.
Item {
    id: chip

    required property string name
    required property string detail
    required property bool isProblem
    required property real maximumWidth
    property bool removable: false

    signal opened()
    signal removed()

    implicitWidth: face.implicitWidth
    implicitHeight: face.implicitHeight

    BaseButton {
        id: face

        readonly property real endPadding: chip.removable ? 34 : 10
        property real nameWidth: 0  ///< Told by the name: an id within the content would create it at once.

        objectName: "attachmentChip"
        implicitHeight: 30
        leftPadding: Theme.mirrored ? face.endPadding : 10
        rightPadding: Theme.mirrored ? 10 : face.endPadding
        focusPolicy: Qt.TabFocus  // A click leaves the focus in the composer.
        fill: face.hovered ? Theme.hover : Theme.background
        stroke: chip.isProblem ? Theme.warning : Theme.line
        Accessible.name: qsTr("%1, %2").arg(chip.name).arg(chip.detail)
        Accessible.description: qsTr("Opens the file's text")
        Keys.onReturnPressed: chip.opened()
        Keys.onDeletePressed: chip.removable && chip.removed()
        onClicked: chip.opened()

        contentItem: Row {
            spacing: 6

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                size: 14
                iconName: chip.isProblem ? "warning" : "file"
                color: chip.isProblem ? Theme.warning : Theme.ink2
            }
            SmallText {
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, 200)
                onWidthChanged: face.nameWidth = width
                text: chip.name
                color: Theme.ink
                elide: Text.ElideMiddle
                font.weight: Font.Medium
            }
            SmallText {
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, chip.maximumWidth - 10 - face.endPadding - 14 - face.nameWidth - 12)
                text: chip.detail
                color: chip.isProblem ? Theme.warning : Theme.ink2
            }
        }
        Hint { over: face.hovered && chip.isProblem; held: face.pressed; text: chip.detail }
    }
    IconButton {
        anchors.verticalCenter: face.verticalCenter
        anchors.right: face.right
        anchors.rightMargin: 4
        objectName: "removeAttachment"
        visible: chip.removable
        implicitWidth: 24
        implicitHeight: 24
        iconName: "close"
        iconSize: 14
        focusPolicy: Qt.TabFocus
        name: qsTr("Remove %1").arg(chip.name)
        onClicked: chip.removed()
    }
}
