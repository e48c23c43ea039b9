import QtQuick
import Quire
import Quire.Models

/// The last row of the list: the number of archived chats; shows or hides them.
BaseButton {
    id: entry

    required property ChatLibrary library
    required property string title
    required property bool isOpen

    objectName: "archiveRow"
    implicitHeight: 56
    topPadding: 16
    topInset: 18
    bottomInset: 2
    focusDistance: 0
    fill: "transparent"
    text: entry.title
    Accessible.name: entry.isOpen ? qsTr("%1, shown").arg(entry.title) : entry.title
    onClicked: entry.library.toggleArchive()

    contentItem: Item {
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.leftMargin: 4
            size: 14
            iconName: "right"
            rotation: !entry.isOpen ? 0 : Theme.mirrored ? -90 : 90

            Behavior on rotation { NumberAnimation { duration: Theme.motion; easing.type: Easing.OutCubic } }
        }
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.leftMargin: 24
            size: 16
            iconName: "archive"
        }
        SmallText {
            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.leftMargin: 46
            text: entry.text
            color: entry.hovered ? Theme.ink : Theme.ink2
        }
    }
}
