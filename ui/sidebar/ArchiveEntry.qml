import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// The last row of the list: the number of archived chats; shows or hides them.
AbstractButton {
    id: entry

    required property ChatLibrary library
    required property string title
    required property bool isOpen

    objectName: "archiveRow"
    implicitHeight: 56
    topPadding: 16
    hoverEnabled: true
    text: entry.title
    Accessible.name: entry.isOpen ? qsTr("%1, shown").arg(entry.title) : entry.title
    Accessible.role: Accessible.Button
    onClicked: entry.library.toggleArchive()

    contentItem: Item {
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            x: 4
            width: 14
            height: 14
            iconName: "right"
            rotation: entry.isOpen ? 90 : 0

            Behavior on rotation { NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic } }
        }
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            x: 24
            width: 16
            height: 16
            iconName: "archive"
        }
        Caption {
            anchors.verticalCenter: parent.verticalCenter
            x: 46
            text: entry.text
            color: entry.hovered ? Theme.ink : Theme.ink2
            font.pixelSize: Theme.small
        }
    }
    FocusFrame {
        shown: entry.visualFocus
        anchors.topMargin: 18
        anchors.bottomMargin: 2
        anchors.leftMargin: 0
        anchors.rightMargin: 0
        radius: Theme.rowRadius
    }
}
