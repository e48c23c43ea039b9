import QtQuick
import Quire
import Quire.Models

/// An entry of the chat list: a chat, and above it the heading of its section if it is the first there.
Column {
    id: entry

    required property AppModel app
    required property double chatId
    required property string title
    required property int colorIndex
    required property string timeText
    required property bool isGenerating
    required property bool isUnread
    required property bool isCurrent
    property bool renaming: false

    signal renameRequested()
    signal renameEnded()

    // Said, not left to the column, which knows it only after the list has asked: rows without a height would all fit.
    height: heading.visible ? heading.height + row.height : row.height

    SectionLabel {
        id: heading

        visible: entry.ListView.section !== entry.ListView.previousSection
        width: parent.width
        text: entry.ListView.section
    }
    ChatRow {
        id: row

        width: parent.width
        app: entry.app
        chatId: entry.chatId
        title: entry.title
        colorIndex: entry.colorIndex
        timeText: entry.timeText
        isGenerating: entry.isGenerating
        isUnread: entry.isUnread
        isCurrent: entry.isCurrent
        renaming: entry.renaming
        onRenameRequested: entry.renameRequested()
        onRenameEnded: entry.renameEnded()
    }
}
