pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// All chats, newest first. Up and Down open the neighbours, F2 renames, Delete deletes.
ListView {
    id: list

    required property AppModel app
    property double renamedChat: 0

    objectName: "chatList"
    clip: true
    model: list.app.chats
    currentIndex: list.app.chats.currentRow
    highlightFollowsCurrentItem: true
    highlightMoveDuration: 0
    boundsBehavior: Flickable.StopAtBounds
    reuseItems: true
    activeFocusOnTab: true
    keyNavigationEnabled: false
    section.property: "section"
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Chats")
    Keys.onUpPressed: list.app.openNeighbour(-1)
    Keys.onDownPressed: list.app.openNeighbour(1)
    Keys.onDeletePressed: list.app.library.remove(list.app.currentChat.chatId)

    delegate: ChatEntry {
        width: list.width
        app: list.app
        renaming: list.renamedChat === chatId
        onRenameRequested: list.renamedChat = chatId
        onRenameEnded: list.renamedChat = 0
    }
    FocusFrame {
        shown: list.activeFocus && list.renamedChat === 0
        anchors.margins: 0
        radius: Theme.rowRadius
        border.width: 1
    }
    ScrollBar.vertical: ScrollMark {}
}
