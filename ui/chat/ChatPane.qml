import QtQuick
import Quire
import Quire.Models

/// A chat in the window: its header, and its messages or a welcome.
FocusScope {
    id: pane

    required property AppModel app
    required property ChatModel chat
    required property bool isFocused
    required property bool isSplit
    required property bool hasEdge
    required property bool hasLowerEdge
    readonly property real columnWidth: Math.min(Theme.columnWidth, pane.width - 2 * Theme.margin)
    readonly property real columnX: Math.round((pane.width - pane.columnWidth) / 2)

    signal focusRequested()
    signal closeRequested()

    Accessible.role: Accessible.Pane
    Accessible.name: pane.chat.title
    onActiveFocusChanged: pane.activeFocus && pane.focusRequested()

    ChatHeader {
        id: header

        x: pane.isSplit ? Theme.margin : pane.columnX
        width: pane.isSplit ? pane.width - 2 * Theme.margin : pane.columnWidth
        chat: pane.chat
        personas: pane.app.personas
        closable: pane.isSplit
        onCloseRequested: pane.closeRequested()
        onSettingsRequested: pane.app.chatSettings.open(pane.chat)
    }
    Timeline {
        id: timeline

        anchors.top: header.bottom
        anchors.bottom: notice.top
        width: parent.width
        visible: !pane.chat.isEmpty
        chat: pane.chat
        app: pane.app
        onLinkRequested: link => linkDialog.ask(link)
    }
    WelcomeView {
        anchors.top: header.bottom
        anchors.bottom: notice.top
        width: parent.width
        visible: pane.chat.isEmpty
        chat: pane.chat
        app: pane.app
    }
    Notice {
        id: notice

        x: pane.columnX
        anchors.bottom: parent.bottom
        anchors.bottomMargin: visible ? 8 : 0
        width: pane.columnWidth
        height: visible ? implicitHeight : 0
        text: pane.chat.notice
        onDismissed: pane.chat.dismissNotice()
    }
    Rectangle {
        visible: pane.isSplit && pane.isFocused
        width: parent.width
        height: 2
        color: Theme.accent
    }
    Rectangle {
        visible: pane.hasEdge
        anchors.right: parent.right
        width: 1
        height: parent.height
        color: Theme.line
    }
    Rectangle {
        visible: pane.hasLowerEdge
        anchors.bottom: parent.bottom
        width: parent.width
        height: 1
        color: Theme.line
    }
    Item {
        anchors.fill: parent

        PointHandler {
            acceptedButtons: Qt.LeftButton | Qt.RightButton
            onActiveChanged: active && pane.focusRequested()
        }
    }
    Connections {
        target: pane.chat

        function onTouched(): void {
            timeline.showLatest();
        }
    }
    LinkDialog {
        id: linkDialog

        app: pane.app
    }
}
