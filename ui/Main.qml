pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// Quire's window.
ApplicationWindow {
    id: window

    required property AppModel app
    property bool isOpen: false  // The first frame was rendered.
    property bool greeted: false  // The welcome page was created; it stays until the work area is ready.

    width: 1200  // openWindow() sets the stored size once; a binding would undo a resize by the user.
    height: 800
    minimumWidth: 680
    minimumHeight: 480
    visible: true
    title: window.app.navigation.hasListedChat
        ? qsTr("%1 — Quire").arg(window.app.navigation.currentChat.title) : qsTr("Quire")
    color: Theme.background
    font.family: Theme.sans
    font.pixelSize: Theme.label
    // Popups are in the window's overlay, so that they are mirrored too.
    LayoutMirroring.enabled: Theme.mirrored
    LayoutMirroring.childrenInherit: true
    onClosing: close => close.accepted = window.app.mayClose(window.width, window.height)

    Connections {
        target: window.app.quitGuard

        function onCloseWanted(): void {
            window.close();
        }
    }

    Binding {
        target: Theme
        property: "choice"
        value: window.app.appearance.themeChoice
    }
    Binding {
        target: Theme
        property: "textScale"
        value: window.app.appearance.textPercent / 100
    }
    LazyLoader {
        id: work

        anchors.fill: parent
        isOpen: window.isOpen
        isWanted: window.app.store.isOpen && !window.app.firstRun.isShown
        delegate: Component {
            WorkArea {
                app: window.app
                isOpen: window.isOpen
            }
        }
        onPlaced: part => (part as WorkArea).focusComposer()
    }
    Repeater {
        model: window.app.firstRun.isShown || work.isAwaited && window.greeted ? 1 : 0

        FirstRunPage {
            anchors.fill: parent
            enabled: window.app.firstRun.isShown
            focus: true
            run: window.app.firstRun
            offers: window.app.getModels.offers
            models: window.app.models
            Component.onCompleted: window.greeted = true
        }
    }
    Caption {
        objectName: "openingNote"
        anchors.centerIn: parent
        visible: window.app.store.isOpening
        text: qsTr("Opening your chats…")
        color: Theme.ink2
        font.pixelSize: Theme.text
    }
    Connections {
        target: window
        enabled: !window.isOpen

        function onFrameSwapped(): void {
            window.isOpen = true;
        }
    }
    StoreErrorPage {
        anchors.fill: parent
        visible: window.app.store.error !== ""
        rescue: window.app.rescue
        store: window.app.store
    }
    Repeater {
        model: window.app.store.error !== "" && window.app.rescue.viewer.isOpen ? 1 : 0

        StoreViewPage {
            anchors.fill: parent
            viewer: window.app.rescue.viewer
        }
    }
    Item {
        id: speaker  // Invisible: its accessible name tells screen readers what becomes of downloads.

        objectName: "spokenDownload"
        Accessible.role: Accessible.AlertMessage
        Accessible.name: window.app.spokenDownloads.text
        Component.onCompleted: window.app.spokenDownloads.setSpeaker(speaker)
    }
    QuitCard { guard: window.app.quitGuard }
}
