import QtQuick
import Quire

/// What can be done with a chat of the sidebar.
QuietMenu {
    id: menu

    signal renameRequested()
    signal deleteRequested()

    implicitWidth: 190

    QuietMenuItem {
        text: qsTr("Rename")
        iconName: "edit"
        keyText: qsTr("F2")
        onTriggered: menu.renameRequested()
    }
    QuietMenuItem {
        text: qsTr("Delete")
        iconName: "trash"
        keyText: qsTr("Del")
        warns: true
        onTriggered: menu.deleteRequested()
    }
}
