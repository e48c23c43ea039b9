pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The page of chats: the panes, and the composer below.
Item {
    id: area

    required property AppModel app
    required property bool isOpen
    readonly property real widest: area.app.panes.isSplit ? 2 * Theme.columnWidth : Theme.columnWidth
    readonly property real columnWidth: Math.min(area.widest, area.width - 2 * Theme.margin)
    readonly property real columnX: Math.round((area.width - area.columnWidth) / 2)

    function focusComposer(): void {
        composer.focusText();
    }

    Keys.onPressed: event => event.accepted = composer.takeText(event.text, event.modifiers)

    PaneArea {
        anchors.fill: parent
        anchors.bottomMargin: parent.height - notices.y
        app: area.app
        isOpen: area.isOpen
    }
    Column {
        id: notices

        x: area.columnX
        anchors.bottom: composer.top
        width: area.columnWidth
        spacing: 8
        bottomPadding: 8

        Notice {
            width: parent.width
            text: area.app.store.writeError
            action: area.app.store.canRescue ? qsTr("See how to fix it") : ""
            onDismissed: area.app.store.dismissWriteError()
            onActed: area.app.store.startRescue()
        }
        Notice {
            objectName: "unsentNotice"
            width: parent.width
            text: area.app.composer.unsentText
            onDismissed: area.app.composer.dismissUnsent()
        }
        Notice {
            width: parent.width
            text: area.app.engine.failure
            dismissable: false
            action: qsTr("Choose another model")
            onActed: area.app.navigation.page = Navigation.Models
        }
    }
    Composer {
        id: composer

        x: area.columnX
        anchors.bottom: parent.bottom
        anchors.bottomMargin: 16
        width: area.columnWidth
        personas: area.app.personas
        model: area.app.composer
        engine: area.app.engine
    }
    FileDrop {
        anchors.fill: parent
        text: qsTr("Drop to attach to your message")
        onEntered: drag => drag.accepted = area.app.composer.files.accepts(drag.urls)
        onDropped: drop => area.app.composer.files.add(drop.urls)
    }
    AttachmentSheet {
        reader: area.app.composer.reader
    }
    Connections {
        target: area.app.panes

        function onComposerWanted(): void {
            area.focusComposer();
        }
    }
    Component.onCompleted: area.focusComposer()
}
