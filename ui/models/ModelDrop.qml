import QtQuick
import Quire
import Quire.Models

/// Accepts model files and folders that are dropped onto the window.
DropArea {
    id: area

    required property ModelLibrary models

    keys: ["text/uri-list"]
    onEntered: drag => drag.accepted = area.models.accepts(drag.urls)
    onDropped: drop => {
        drop.accept(Qt.CopyAction);  // Otherwise the file manager assumes that the drop was refused.
        area.models.open(drop.urls);
    }

    Rectangle {
        visible: area.containsDrag
        anchors.fill: parent
        color: Theme.scrim

        Rectangle {
            anchors.centerIn: parent
            width: Math.min(parent.width - 64, 420)
            height: 120
            radius: Theme.bubbleRadius
            color: Theme.surface
            border.color: Theme.accent
            border.width: 2

            Column {
                anchors.centerIn: parent
                spacing: 8

                Icon {
                    anchors.horizontalCenter: parent.horizontalCenter
                    size: 24
                    iconName: "model"
                    color: Theme.accent
                }
                Caption {
                    text: qsTr("Drop to load this model")
                    font.pixelSize: Theme.text
                    font.weight: Font.DemiBold
                }
            }
        }
    }
}
