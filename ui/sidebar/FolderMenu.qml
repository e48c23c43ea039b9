import QtQuick
import Quire

/// The menu of a folder.
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
