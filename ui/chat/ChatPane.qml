import QtQuick
import Quire
import Quire.Models

/// A chat in the window: its header, its messages or a welcome, and the composer.
Item {
    id: pane

    required property AppModel app
    required property ChatModel chat
    readonly property real columnWidth: Math.min(Theme.columnWidth, pane.width - 2 * Theme.margin)
    readonly property real columnX: Math.round((pane.width - pane.columnWidth) / 2)

    function focusComposer(): void {
        composer.focusText();
    }

    ChatHeader {
        id: header

        x: pane.columnX
        width: pane.columnWidth
        chat: pane.chat
        personas: pane.app.personas
    }
    Timeline {
        id: timeline

        anchors.top: header.bottom
        anchors.bottom: notices.top
        width: parent.width
        visible: !pane.chat.isEmpty
        chat: pane.chat
        app: pane.app
        onLinkRequested: link => linkDialog.ask(link)
    }
    WelcomeView {
        anchors.top: header.bottom
        anchors.bottom: notices.top
        width: parent.width
        visible: pane.chat.isEmpty
        chat: pane.chat
        app: pane.app
    }
    Column {
        id: notices

        x: pane.columnX
        anchors.bottom: composer.top
        width: pane.columnWidth
        spacing: 8
        bottomPadding: 8

        Notice {
            width: parent.width
            text: pane.app.writeError
            onDismissed: pane.app.dismissWriteError()
        }
        Notice {
            width: parent.width
            text: pane.chat.notice
            onDismissed: pane.chat.dismissNotice()
        }
        Notice {
            width: parent.width
            text: pane.app.engine.failure
            dismissable: false
        }
    }
    Composer {
        id: composer

        x: pane.columnX
        anchors.bottom: parent.bottom
        anchors.bottomMargin: 16
        width: pane.columnWidth
        chat: pane.chat
        engine: pane.app.engine
        onSent: timeline.showLatest()
    }
    LinkDialog {
        id: linkDialog

        app: pane.app
    }
}
