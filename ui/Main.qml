pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// Quire's window.
ApplicationWindow {
    id: window

    required property AppModel app
    property bool isOpen: false  // Its first picture is there.

    width: 1200  // Or as it was left: from openWindow(), once. A binding would undo what the user's hand did.
    height: 800
    minimumWidth: 680
    minimumHeight: 480
    visible: true
    title: window.app.isNewChat || window.app.currentChat === null
        ? qsTr("Quire") : qsTr("%1 — Quire").arg(window.app.currentChat.title)
    color: Theme.background
    font.family: Theme.sans
    font.pixelSize: Theme.label
    onClosing: close => close.accepted = window.app.mayClose(window.width, window.height)

    Connections {
        target: window.app.quitGuard

        function onCloseWanted(): void {
            window.close();
        }
    }

    Connections {
        target: window.app

        function onCloseWanted(): void {
            window.close();
        }
    }

    Binding {
        target: Theme
        property: "choice"
        value: window.app.themeChoice
    }
    Binding {
        target: Theme
        property: "textScale"
        value: window.app.settings.textPercent / 100
    }
    LazyLoader {
        id: work

        anchors.fill: parent
        isOpen: window.isOpen
        isWanted: window.app.storeOpen && !window.app.firstRun.isShown
        delegate: Component {
            WorkArea {
                app: window.app
                isOpen: window.isOpen
            }
        }
        onPlaced: part => (part as WorkArea).focusComposer()
    }
    Repeater {
        model: window.app.firstRun.isShown || work.isAwaited ? 1 : 0

        FirstRunPage {
            anchors.fill: parent
            enabled: window.app.firstRun.isShown
            focus: true
            app: window.app
        }
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
        visible: window.app.storeError !== ""
        app: window.app
    }
    Repeater {
        model: window.app.storeError !== "" && window.app.rescue.viewer.isOpen ? 1 : 0

        StoreViewPage {
            anchors.fill: parent
            viewer: window.app.rescue.viewer
        }
    }
    QuitCard { guard: window.app.quitGuard }
}
