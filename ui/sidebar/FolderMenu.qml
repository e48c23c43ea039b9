import QtQuick
import Quire

/// What can be done with a folder of the sidebar.
AppMenu {
    id: menu

    signal renameRequested()
    signal deleteRequested()

    AppMenuItem {
        text: qsTr("Rename")
        iconName: "edit"
        onTriggered: menu.renameRequested()
    }
    AppMenuItem {
        text: qsTr("Delete folder, keep chats")
        iconName: "trash"
        warns: true
        onTriggered: menu.deleteRequested()
    }
}
