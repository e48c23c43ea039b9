pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// A file of a message: its name, its size or error; opens it, and removes it where possible.
Row {
    id: chip

    required property string name
    required property string detail
    required property bool isProblem
    required property real maximumWidth
    property bool removable: false

    signal opened()
    signal removed()

    BaseButton {
        id: face

        objectName: "attachmentChip"
        implicitHeight: 30
        leftPadding: 10
        rightPadding: 10
        focusPolicy: Qt.TabFocus  // A click leaves the keyboard where one writes.
        fill: face.hovered ? Theme.hover : Theme.background
        stroke: chip.isProblem ? Theme.warning : Theme.line
        Accessible.name: qsTr("%1, %2").arg(chip.name).arg(chip.detail)
        Accessible.description: qsTr("Opens the file's text")
        Keys.onReturnPressed: chip.opened()
        Keys.onDeletePressed: chip.removable && chip.removed()
        onClicked: chip.opened()

        contentItem: AttachmentLabel {
            name: chip.name
            detail: chip.detail
            isProblem: chip.isProblem
            maximumWidth: chip.maximumWidth - (chip.removable ? 48 : 20)
        }
        Hint { over: face.hovered && chip.isProblem; held: face.pressed; text: chip.detail }
    }
    IconButton {
        anchors.verticalCenter: parent.verticalCenter
        objectName: "removeAttachment"
        visible: chip.removable
        iconName: "close"
        iconSize: 14
        focusPolicy: Qt.TabFocus
        name: qsTr("Remove %1").arg(chip.name)
        onClicked: chip.removed()
    }
}
