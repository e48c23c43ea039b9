import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A path field for desktops without a folder dialog.
RowLayout {
    id: row

    required property ModelLibrary library

    spacing: 8
    onVisibleChanged: row.visible && box.forceActiveFocus(Qt.OtherFocusReason)

    TextBox {
        id: box

        Layout.fillWidth: true
        objectName: "folderPath"
        name: qsTr("Folder path")
        hint: qsTr("Type a path such as ~/models, or drop a folder here")
        onAccepted: row.library.typeFolder(box.text)
    }
    ActionButton {
        text: qsTr("Add")
        enabled: box.text !== ""
        onClicked: row.library.typeFolder(box.text)
    }
}
