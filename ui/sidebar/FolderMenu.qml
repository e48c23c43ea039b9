import QtQuick
import Quire

/// What can be done with a folder of the sidebar.
QuietMenu {
    id: menu

    signal renameRequested()
    signal deleteRequested()

    QuietMenuItem {
        text: qsTr("Rename")
        iconName: "edit"
        onTriggered: menu.renameRequested()
    }
    QuietMenuItem {
        text: qsTr("Delete the folder, keep its chats")
        iconName: "trash"
        warns: true
        onTriggered: menu.deleteRequested()
    }
}
