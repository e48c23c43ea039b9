import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A copy button that confirms for a moment.
AbstractButton {
    id: button

    property string what: qsTr("Copy code")
    readonly property color foreground: done.running ? Theme.accent : button.hovered ? Theme.ink : Theme.ink2

    implicitWidth: button.implicitContentWidth + button.leftPadding + button.rightPadding
    implicitHeight: 24
    leftPadding: 8
    rightPadding: 8
    hoverEnabled: true
    focusPolicy: Qt.TabFocus  // A click leaves the keyboard where one writes.
    text: done.running ? qsTr("Copied") : qsTr("Copy")
    Accessible.name: button.what
    Keys.onReturnPressed: button.clicked()
    Keys.onEnterPressed: button.clicked()
    Accessible.role: Accessible.Button

    contentItem: Row {
        spacing: 5

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            iconName: done.running ? "check" : "copy"
            width: 14
            height: 14
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
    background: Rectangle {
        radius: 6
        color: button.hovered ? Theme.hover : "transparent"

        FocusFrame { shown: button.visualFocus; radius: 8 }
    }
    Connections {
        target: button

        function onClicked(): void {
            done.restart();
        }
    }
    Timer {
        id: done

        interval: 1600
    }
}
