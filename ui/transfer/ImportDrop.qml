import QtQuick
import Quire
import Quire.Models

/// Accepts files with exported chats, anywhere on the window.
DropArea {
    id: area

    required property ImportOffer importOffer

    keys: ["text/uri-list"]
    onEntered: drag => drag.accepted = area.importOffer.accepts(drag.urls)
    onDropped: drop => {
        drop.accept(Qt.CopyAction);  // Else the file manager believes that nobody took it.
        area.importOffer.examine(drop.urls[0]);
    }

    Rectangle {
        anchors.fill: parent
        anchors.margins: 8
        visible: area.containsDrag
        radius: Theme.cardRadius
        color: Theme.hover
        border.color: Theme.accent

        Caption {
            anchors.centerIn: parent
            text: qsTr("Drop to import chats or attach to your message")
            font.weight: Font.DemiBold
        }
    }
}
