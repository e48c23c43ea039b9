import QtQuick
import Quire

/// A toast that says what was deleted, with Undo and, unless `more` is empty, a further action.
Rectangle {
    id: toast

    required property string text
    property string more: ""

    signal undone()
    signal moreChosen()

    objectName: "undoToast"
    width: row.implicitWidth + 20
    height: 44
    radius: Theme.cardRadius
    color: Theme.ink
    opacity: toast.text === "" ? 0 : 1
    visible: opacity > 0
    Accessible.role: Accessible.AlertMessage
    Accessible.name: toast.text

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
            width: Math.min(implicitWidth, 400)
            text: toast.text
            color: Theme.background
        }
        ToastButton {
            objectName: "undoMoreButton"
            visible: text !== ""
            text: toast.more
            onClicked: toast.moreChosen()
        }
        ToastButton {
            objectName: "undoButton"
            text: qsTr("Undo")
            onClicked: toast.undone()
        }
    }
}
