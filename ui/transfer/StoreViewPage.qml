pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// A damaged store, read-only: its chats, and the messages of one.
Rectangle {
    id: page

    required property StoreViewer viewer

    objectName: "storeView"
    color: Theme.background

    Rectangle {
        id: head

        width: parent.width
        height: 56
        color: Theme.side

        Icon {
            id: sign

            anchors.left: parent.left
            anchors.leftMargin: 20
            anchors.verticalCenter: parent.verticalCenter
            size: 18
            iconName: "warning"
            color: Theme.warning
        }
        Caption {
            anchors.left: sign.right
            anchors.leftMargin: 10
            anchors.right: copy.left
            anchors.rightMargin: 16
            anchors.verticalCenter: parent.verticalCenter
            text: qsTr("Readable chats from the damaged file. Nothing here is changed.")
            font.weight: Font.Medium
            elide: Text.ElideRight
        }
        ActionButton {
            id: copy

            anchors.right: back.left
            anchors.rightMargin: 8
            anchors.verticalCenter: parent.verticalCenter
            enabled: page.viewer.messages.count > 0
            text: qsTr("Copy chat")
            onClicked: page.viewer.copyChat()
        }
        ActionButton {
            id: back

            objectName: "leaveStoreView"
            anchors.right: parent.right
            anchors.rightMargin: 20
            anchors.verticalCenter: parent.verticalCenter
            primary: true
            focus: true
            text: qsTr("Back")
            onClicked: page.viewer.close()
        }
    }
    ScrollList {
        id: chats

        objectName: "readableChats"
        anchors.left: parent.left
        anchors.top: head.bottom
        anchors.bottom: parent.bottom
        width: 320
        topMargin: 12
        leftMargin: 10
        model: page.viewer.chats
        activeFocusOnTab: true
        keyNavigationEnabled: false
        Accessible.name: qsTr("Chats")
        Keys.onDownPressed: page.viewer.show(page.viewer.current + 1)
        Keys.onUpPressed: page.viewer.show(page.viewer.current - 1)
        delegate: StoreViewChat {
            width: chats.width - 20
            isCurrent: index === page.viewer.current
            onChosen: row => page.viewer.show(row)
        }

        FocusFrame { shown: chats.activeFocus }
    }
    Line {
        anchors.left: chats.right
        anchors.top: head.bottom
        anchors.bottom: parent.bottom
    }
    ScrollList {
        anchors.top: head.bottom
        anchors.bottom: parent.bottom
        anchors.left: chats.right
        anchors.right: parent.right
        topMargin: 24
        bottomMargin: 24
        spacing: 20
        model: page.viewer.messages
        Accessible.name: qsTr("Messages")
        delegate: StoreViewMessage { width: ListView.view.width }
    }
    EmptyNote {
        visible: page.viewer.note !== ""
        anchors.centerIn: parent
        text: page.viewer.note
    }
}
