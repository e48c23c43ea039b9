import QtQuick
import Quire
import Quire.Models

/// Accepts files that are dropped onto the chats.
DropArea {
    id: area

    required property ComposerModel composer

    keys: ["text/uri-list"]
    onEntered: drag => drag.accepted = area.composer.files.accepts(drag.urls)
    onDropped: drop => {
        drop.accept(Qt.CopyAction);  // Else the file manager believes that nobody took it.
        area.composer.files.add(drop.urls);
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
            text: qsTr("Drop to attach to your message")
            font.weight: Font.DemiBold
        }
    }
}
