import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Where the desktop has no folder chooser, a path is written.
RowLayout {
    id: row

    required property ModelLibrary library

    spacing: 8
    onVisibleChanged: row.visible && box.forceActiveFocus(Qt.OtherFocusReason)

    TextBox {
        id: box

        Layout.fillWidth: true
        objectName: "folderPath"
        name: qsTr("The folder's path")
        hint: qsTr("This desktop has no folder chooser: write a path such as ~/models, or drop the folder here")
        onAccepted: row.library.typeFolder(box.text)
    }
    ActionButton {
        text: qsTr("Add")
        enabled: box.text !== ""
        onClicked: row.library.typeFolder(box.text)
    }
}
