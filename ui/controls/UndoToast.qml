import QtQuick
import Quire
import Quire.Models

/// A toast that says what was deleted, with Undo.
Rectangle {
    id: toast

    required property ChatLibrary library

    objectName: "undoToast"
    width: row.implicitWidth + 20
    height: 44
    radius: Theme.cardRadius
    color: Theme.ink
    opacity: toast.library.undoText === "" ? 0 : 1
    visible: opacity > 0
    Accessible.role: Accessible.AlertMessage
    Accessible.name: toast.library.undoText

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
            width: Math.min(implicitWidth, 360)
            text: toast.library.undoText
            color: Theme.background
        }
        UndoButton { objectName: "undoButton"; onClicked: toast.library.undo() }
    }
}
