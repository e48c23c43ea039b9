import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The left edge of the window: a new chat, all chats, and how the window looks.
Rectangle {
    id: sidebar

    required property AppModel app

    function renameCurrent(): void {
        list.renamedChat = sidebar.app.currentChat.chatId;
    }

    color: Theme.side
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Chats")

    Rectangle {
        anchors.right: parent.right
        width: 1
        height: parent.height
        color: Theme.line
    }
    ColumnLayout {
        anchors.fill: parent
        anchors.leftMargin: 10
        anchors.rightMargin: 11
        spacing: 0

        Caption {
            Layout.preferredHeight: 56
            Layout.leftMargin: 8
            verticalAlignment: Text.AlignVCenter
            text: qsTr("Quire")
            font.pixelSize: Theme.large
            font.weight: Font.DemiBold
        }
        NewChatButton {
            Layout.fillWidth: true
            app: sidebar.app
        }
        ChatList {
            id: list

            Layout.topMargin: 6
            Layout.fillWidth: true
            Layout.fillHeight: true
            visible: sidebar.app.chats.count > 0
            app: sidebar.app
        }
        Caption {
            visible: sidebar.app.chats.count === 0
            Layout.topMargin: 20
            Layout.leftMargin: 8
            Layout.rightMargin: 8
            Layout.fillWidth: true
            Layout.fillHeight: true
            text: qsTr("No chats yet. What you write is kept here, on this computer only.")
            color: Theme.ink2
            font.pixelSize: Theme.small
            wrapMode: Text.Wrap
            lineHeight: 1.45
        }
        SidebarFooter {
            Layout.fillWidth: true
            app: sidebar.app
        }
    }
}
