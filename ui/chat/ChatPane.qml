pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// A chat in its pane: header, and timeline or welcome page.
FocusScope {
    id: pane

    required property AppModel app
    required property ChatModel chat
    required property bool isFocused
    required property bool isSplit
    required property bool hasEdge
    required property bool hasLowerEdge
    readonly property real columnWidth: Math.min(Theme.columnWidth, pane.width - 2 * Theme.margin)
    readonly property real roomTop: header.height + (findBar.visible ? findBar.height + 12 : 0)
    readonly property real room: strips.y - pane.roomTop
    /// Too low to show the question above its answers.
    readonly property bool isLow: pane.room < 420
    readonly property real columnX: Math.round((pane.width - pane.columnWidth) / 2)

    signal focusRequested()
    signal closeRequested()

    Accessible.role: Accessible.Pane
    Accessible.name: pane.chat.title
    onActiveFocusChanged: pane.activeFocus && pane.focusRequested()

    ChatHeader {
        id: header

        anchors { left: parent.left; leftMargin: pane.isSplit ? Theme.margin : pane.columnX }
        width: pane.width - anchors.leftMargin - Theme.margin
        chat: pane.chat
        personas: pane.app.personas
        closable: pane.isSplit
        onCloseRequested: pane.closeRequested()
        onSettingsRequested: pane.app.chatSettings.open(pane.chat)
    }
    Timeline {
        id: timeline

        y: pane.roomTop
        width: parent.width
        height: pane.chat.turns.group === null ? pane.room - latest.height : pane.isLow ? 0
            : Math.min(Math.round(pane.room * 0.3), Math.ceil(timeline.contentHeight) + timeline.bottomMargin)
        visible: !pane.chat.isEmpty && height > 0
        chat: pane.chat
        reader: pane.app.composer.reader
        onLinkRequested: link => linkDialog.ask(link)
        onMenuRequested: id => menu.show(id)
        onModelsRequested: pane.app.navigation.page = Navigation.Models
    }
    Line {
        visible: timeline.visible && !timeline.atYBeginning
        y: pane.roomTop
        width: parent.width
    }
    LatestButton {
        id: latest

        anchors.top: timeline.bottom
        width: parent.width
        timeline: timeline
        room: pane.chat.turns.group === null && !pane.chat.isEmpty ? pane.room : 0
    }
    FindBar {
        id: findBar

        anchors.top: header.bottom
        anchors.topMargin: 6
        anchors.right: parent.right
        anchors.rightMargin: Math.min(Theme.margin, pane.columnX)
        z: 1
        width: Math.min(380, pane.width - 2 * anchors.rightMargin)
        find: pane.chat.find
        onOpening: pane.chat.find.setOrigin(timeline.firstRow())
        onDismissed: pane.app.panes.composerWanted()
    }
    Repeater {
        model: pane.chat.turns.group === null ? 0 : 1

        AnswerColumns {
            anchors.top: timeline.bottom
            anchors.bottom: strips.top
            width: pane.width
            chat: pane.chat
            reader: pane.app.composer.reader
            isLow: pane.isLow
            onLinkRequested: link => linkDialog.ask(link)
            onMenuRequested: id => menu.show(id)
            onModelsRequested: pane.app.navigation.page = Navigation.Models
        }
    }
    WelcomeView {
        anchors.top: header.bottom
        anchors.bottom: strips.top
        width: parent.width
        visible: pane.chat.isEmpty
        isLow: pane.isLow
        chat: pane.chat
        engine: pane.app.engine
        firstRun: pane.app.firstRun
        personas: pane.app.personas
    }
    PaneStrips {
        id: strips

        x: pane.columnX
        anchors.bottom: parent.bottom
        width: pane.columnWidth
        chat: pane.chat
    }
    PaneFrame {
        anchors.fill: parent
        isCurrent: pane.isSplit && pane.isFocused
        hasEdge: pane.hasEdge
        hasLowerEdge: pane.hasLowerEdge
        onPressed: pane.focusRequested()
    }
    Connections {
        target: pane.chat

        function onTouched(): void {
            timeline.showLatest();
        }
    }
    Connections {
        target: pane.chat.editor

        function onEnded(): void {
            pane.isFocused && pane.app.panes.composerWanted();
        }
    }
    MessageMenu {
        id: menu

        chat: pane.chat
        personas: pane.app.personas
    }
    LinkDialog { id: linkDialog }
    DetailsCard { details: pane.chat.history.details }
}
