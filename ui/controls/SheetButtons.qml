import QtQuick
import QtQuick.Layouts
import Quire

/// Save and Cancel at the bottom of a sheet.
RowLayout {
    id: buttons

    property bool canSave: true
    property string saveText: qsTr("Save")

    signal saved()
    signal cancelled()

    Layout.fillWidth: true
    spacing: 8

    Item { Layout.fillWidth: true }
    ActionButton { text: qsTr("Cancel"); onClicked: buttons.cancelled() }
    ActionButton {
        objectName: "sheetSave"
        primary: true
        enabled: buttons.canSave
        text: buttons.saveText
        onClicked: buttons.saved()
    }
}
