import QtQuick
import Quire

/// A search field; Escape clears it.
TextBox {
    id: box

    signal searched(string text)

    leftPadding: 34
    rightPadding: 34
    onTextChanged: box.searched(box.text)
    Keys.onEscapePressed: event => {
        event.accepted = box.text !== "";
        box.clear();
    }

    Icon {
        anchors.verticalCenter: parent.verticalCenter
        x: 11
        iconName: "search"
        width: 15
        height: 15
    }
    IconButton {
        visible: box.text !== ""
        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        anchors.rightMargin: 3
        iconName: "close"
        iconSize: 14
        name: qsTr("Clear search")
        onClicked: box.clear()
    }
}
