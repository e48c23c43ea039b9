import QtQuick
import Quire

/// A passing message above the content: what was done, with a way back, or how far something is. Hidden while the text
/// is empty.
Rectangle {
    id: toast

    required property string text
    property string action: ""
    property string actionName: ""  ///< The objectName of its button.
    property string more: ""  ///< A further action, before the other.
    property string moreName: ""  ///< The objectName of its button.
    property real progress: -1  ///< Between 0 and 1; negative: none is shown.
    property bool dismissable: false

    signal acted()
    signal moreChosen()
    signal dismissed()

    width: row.implicitWidth + 20
    height: Math.max(Theme.toastHeight, label.implicitHeight + 24)
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
            id: label

            readonly property real endPadding: toast.action === "" && !toast.dismissable ? 8 : 0

            anchors.verticalCenter: parent.verticalCenter
            leftPadding: Theme.mirrored ? label.endPadding : 8
            rightPadding: Theme.mirrored ? 8 : label.endPadding
            width: Math.min(implicitWidth, 400)
            text: toast.text
            color: Theme.background
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            maximumLineCount: 3
            lineRatio: 1.5
        }
        MeterBar {
            visible: toast.progress >= 0
            anchors.verticalCenter: parent.verticalCenter
            width: 120
            height: 4
            value: Math.max(0, toast.progress)
            color: Theme.ink2
            tone: Theme.background
            Accessible.role: Accessible.ProgressBar
            Accessible.name: toast.text
        }
        ToastButton {
            anchors.verticalCenter: parent.verticalCenter
            objectName: toast.moreName
            visible: text !== ""
            text: toast.more
            onClicked: toast.moreChosen()
        }
        ToastButton {
            anchors.verticalCenter: parent.verticalCenter
            objectName: toast.actionName
            visible: text !== ""
            text: toast.action
            onClicked: toast.acted()
        }
        IconButton {
            anchors.verticalCenter: parent.verticalCenter
            visible: toast.dismissable
            iconName: "close"
            ink: Theme.background
            name: qsTr("Dismiss")
            onClicked: toast.dismissed()
        }
    }
}
