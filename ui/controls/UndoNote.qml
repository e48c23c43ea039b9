import QtQuick
import Quire

/// Says what was deleted, with Undo.
Rectangle {
    id: note

    required property string text

    signal undone()

    width: row.implicitWidth + 20
    height: 44
    radius: Theme.cardRadius
    color: Theme.ink
    opacity: note.text === "" ? 0 : 1
    visible: opacity > 0
    Accessible.role: Accessible.AlertMessage
    Accessible.name: note.text

    Behavior on opacity {
        NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic }
    }
    Row {
        id: row

        anchors.centerIn: parent
        spacing: 12

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            leftPadding: 8
            width: Math.min(implicitWidth, 420)
            text: note.text
            color: Theme.background
        }
        UndoButton { objectName: "undoNote"; onClicked: note.undone() }
    }
}
