pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A chat in the sidebar: its colour, its name (renamed in place), and what it is doing.
ItemDelegate {
    id: row

    required property AppModel app
    required property double chatId
    required property string title
    required property int colorIndex
    required property string timeText
    required property bool isGenerating
    required property bool isUnread
    required property bool isCurrent
    required property bool renaming

    signal renameRequested()
    signal renameEnded()

    height: 40
    topInset: 2
    bottomInset: 2
    hoverEnabled: true
    highlighted: row.isCurrent
    focusPolicy: Qt.NoFocus
    Accessible.name: row.isGenerating ? qsTr("%1, being answered").arg(row.title)
        : row.isUnread ? qsTr("%1, new answer").arg(row.title) : row.title
    onClicked: row.app.openChat(row.chatId)
    onDoubleClicked: row.renameRequested()

    contentItem: ChatRowContent {
        title: row.title
        dotColor: Theme.chatColor(row.colorIndex)
        timeText: row.timeText
        isGenerating: row.isGenerating
        isUnread: row.isUnread
        renaming: row.renaming
        moreShown: row.hovered || menu.opened
        onRenamed: title => row.app.library.rename(row.chatId, title)
        onRenameEnded: row.renameEnded()
        onMoreRequested: menu.popup()
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: row.isCurrent ? Theme.surface : row.hovered ? Theme.hover : "transparent"
        border.width: row.isCurrent ? 1 : 0
        border.color: Theme.line
    }

    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: menu.popup()
    }
    ChatRowMenu {
        id: menu

        onRenameRequested: row.renameRequested()
        onDeleteRequested: row.app.library.remove(row.chatId)
    }
}
