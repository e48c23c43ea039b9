import QtQuick
import Quire

/// A toast that says what was deleted, with Undo.
Rectangle {
    id: toast

    required property string text

    signal undone()

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
        BaseButton {
            id: button

            objectName: "undoButton"
            implicitHeight: 30
            leftPadding: 12
            rightPadding: 12
            fill: button.hovered ? "#33808080" : "transparent"
            stroke: Theme.ink2
            text: qsTr("Undo")
            onClicked: toast.undone()

            contentItem: Caption {
                verticalAlignment: Text.AlignVCenter
                text: button.text
                color: Theme.background
                font.weight: Font.DemiBold
            }
        }
    }
}
