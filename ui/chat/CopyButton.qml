import QtQuick
import Quire

/// A copy button that confirms for a moment.
FoldButton {
    id: button

    property string what: qsTr("Copy code")
    readonly property bool isDone: done.running
    readonly property color foreground: done.running ? Theme.accent : button.hovered ? Theme.ink : Theme.ink2

    text: done.running ? qsTr("Copied") : qsTr("Copy")
    Accessible.name: done.running ? qsTr("Copied") : button.what
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

        interval: 1500
    }
    Item {  // Screen readers hear it.
        Accessible.role: Accessible.AlertMessage
        Accessible.name: button.Accessible.name
        Accessible.ignored: !done.running
    }
}
