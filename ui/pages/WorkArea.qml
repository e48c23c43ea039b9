import QtQuick
import Quire
import Quire.Models

/// The window at work: sidebar, header, and the page that is shown.
Item {
    id: area

    required property AppModel app

    function focusComposer(): void {
        host.focusComposer();
    }

    Sidebar {
        id: sidebar

        width: Theme.sidebarWidth
        height: parent.height
        app: area.app
    }
    AppHeader {
        id: header

        anchors.left: sidebar.right
        anchors.right: parent.right
        engine: area.app.engine
        panes: area.app.panes
    }
    PageHost {
        id: host

        anchors.left: sidebar.right
        anchors.right: parent.right
        anchors.top: header.bottom
        anchors.bottom: parent.bottom
        app: area.app
    }
    UndoToast {
        anchors.bottom: parent.bottom
        anchors.bottomMargin: 124
        x: Math.round(host.x + (host.width - width) / 2)
        app: area.app
    }
    Shortcut {
        sequences: ["Ctrl+N"]
        onActivated: area.app.newChat()
    }
    Shortcut {
        sequences: ["Ctrl+PgDown", "Ctrl+Tab"]
        onActivated: area.app.openNeighbour(1)
    }
    Shortcut {
        sequences: ["Ctrl+PgUp", "Ctrl+Shift+Tab"]
        onActivated: area.app.openNeighbour(-1)
    }
    Shortcut {
        sequence: "F2"
        enabled: !area.app.isNewChat
        onActivated: sidebar.renameCurrent()
    }
    Shortcut {
        sequences: ["Ctrl+Q"]
        onActivated: Qt.quit()
    }
}
