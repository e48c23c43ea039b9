import QtQuick
import Quire

/// A copy button that confirms for a moment.
FoldButton {
    id: button

    property string what: qsTr("Copy code")
    readonly property color foreground: done.running ? Theme.accent : button.hovered ? Theme.ink : Theme.ink2

    text: done.running ? qsTr("Copied") : qsTr("Copy")
    Accessible.name: button.what
    onClicked: done.restart()

    contentItem: Row {
        spacing: 5

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            iconName: done.running ? "check" : "copy"
            size: 14
            color: button.foreground
        }
        Caption {
            height: parent.height
            verticalAlignment: Text.AlignVCenter
            text: button.text
            color: button.foreground
            font.pixelSize: Theme.tiny
        }
    }
    Timer {
        id: done

        interval: 1600
    }
}
