pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// The main window: sidebar, header, and the current page.
Item {
    id: area

    required property AppModel app
    required property bool isOpen
    readonly property bool wide: area.width >= 1180
    readonly property real panelWidth: area.wide && area.app.navigation.showsEnginePanel ? 280 : 0

    onWidthChanged: area.app.sidebar.windowWidth = area.width

    function focusComposer(): void {
        host.focusComposer();
    }

    Sidebar {
        anchors.left: parent.left
        visible: area.app.sidebar.isOpen
        width: area.app.sidebar.width
        height: parent.height
        app: area.app
    }
    SidebarRail {
        anchors.left: parent.left
        visible: !area.app.sidebar.isOpen
        width: implicitWidth
        height: parent.height
        commands: area.app.commands
        navigation: area.app.navigation
        sidebar: area.app.sidebar
        server: area.app.server
    }
    Item { id: side; anchors.left: parent.left; width: area.app.sidebar.isOpen ? area.app.sidebar.width : 52 }
    AppHeader {
        id: header

        anchors.left: side.right
        anchors.right: parent.right
        anchors.rightMargin: area.panelWidth
        models: area.app.models
        navigation: area.app.navigation
        engine: area.app.engine
        panes: area.app.panes
        chats: area.app.chats
        panelPossible: area.wide && !area.app.navigation.isPageOpen
        panelShown: area.app.navigation.showsEnginePanel
        onPanelToggled: area.app.navigation.enginePanel = !area.app.navigation.enginePanel
        pause: area.app.pause
    }
    PausedBar {
        id: paused

        anchors.left: side.right
        anchors.right: parent.right
        anchors.rightMargin: area.panelWidth
        anchors.top: header.bottom
        store: area.app.store
    }
    PageHost {
        id: host

        anchors.left: side.right
        anchors.right: parent.right
        anchors.rightMargin: area.panelWidth
        anchors.top: paused.bottom
        anchors.bottom: parent.bottom
        app: area.app
        isOpen: area.isOpen
    }
    Repeater {
        model: area.panelWidth > 0 ? 1 : 0

        EnginePanel {
            anchors.right: area.right
            width: area.panelWidth
            height: area.height
            monitor: area.app.monitor
        }
    }
    ModelDrop {
        anchors.fill: parent
        models: area.app.models
    }
    FileDrop {
        anchors.fill: parent
        text: qsTr("Drop to import chats or attach to your message")
        onEntered: drag => drag.accepted = area.app.importOffer.accepts(drag.urls)
        onDropped: drop => area.app.importOffer.examine(drop.urls[0])
    }
    TransferDialogs { transfer: area.app.transfer }
    ImportCard { offer: area.app.importOffer }
    EraseCard { eraser: area.app.library.eraser }
    // Stacked, so that no notice covers the Undo button of another.
    Column {
        anchors.bottom: parent.bottom
        anchors.bottomMargin: 124
        x: Math.round(host.x + (host.width - width) / 2)
        spacing: 8

        TransferToast {
            anchors.horizontalCenter: parent.horizontalCenter
            visible: area.app.transfer.hasNews && !area.app.navigation.isPageOpen
            transfer: area.app.transfer
        }
        EraseToast {
            anchors.horizontalCenter: parent.horizontalCenter
            eraser: area.app.library.eraser
        }
        UndoToast {
            anchors.horizontalCenter: parent.horizontalCenter
            text: area.app.library.undoText
            more: area.app.library.eraser.isOffered ? qsTr("Delete from backups too…") : ""
            moreName: "undoMoreButton"
            onMoreChosen: area.app.library.eraser.ask()
            onUndone: area.app.library.undo()
        }
    }
    Item {
        id: speaker  // Invisible: its accessible name tells screen readers the text of the answer.

        objectName: "spokenText"
        Accessible.role: Accessible.AlertMessage
        Accessible.name: area.app.spokenAnswer.text
        Component.onCompleted: area.app.spokenAnswer.setSpeaker(speaker)
    }
    Instantiator {
        model: area.app.commands

        Shortcut {
            required property string commandId
            required property string key
            required property string otherKey

            sequences: [key, otherKey]
            onActivated: area.app.commands.run(commandId)
        }
    }
    QuickOpenCard {
        quick: area.app.quickOpen
    }
}
