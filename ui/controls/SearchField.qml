import QtQuick
import Quire

/// A field that filters a list while typing; Escape and the button at its end clear it.
TextBox {
    id: field

    function empty(): void {
        field.clear();
        field.textEdited();
    }

    implicitHeight: 36
    leftPadding: 34
    rightPadding: 34
    hint: field.name
    maximumLength: 200
    // Before the shortcut that closes the page.
    Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape && field.text !== ""
    Keys.onEscapePressed: event => {
        event.accepted = field.text !== "";
        field.empty();
    }

    Icon {
        anchors.verticalCenter: parent.verticalCenter
        anchors.left: parent.left
        anchors.leftMargin: 10
        size: 16
        iconName: "search"
    }
    IconButton {
        visible: field.text !== ""
        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        anchors.rightMargin: 4
        iconName: "close"
        iconSize: 14
        name: qsTr("Clear search")
        onClicked: field.empty()
    }
}
