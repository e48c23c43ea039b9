pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// A tab for each pane when the window is too small; the visible ones are marked.
ListView {
    id: tabs

    required property PaneListModel panes

    height: 38
    orientation: ListView.Horizontal
    spacing: 4
    leftMargin: 12
    rightMargin: 12
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    model: tabs.panes
    currentIndex: tabs.panes.focusedPane
    Accessible.role: Accessible.PageTabList
    Accessible.name: qsTr("Panes")

    delegate: PaneTab {
        id: tab

        required property int index
        required property ChatModel chat
        required property bool isShown
        required property bool isFocused

        y: 5
        text: tab.chat.title
        dotColor: Theme.chatColor(tab.chat.colorIndex)
        current: tab.isFocused
        shown: tab.isShown
        generating: tab.chat.turns.isGenerating
        onClicked: tabs.panes.focusedPane = tab.index
    }
}
