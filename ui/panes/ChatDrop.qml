import QtQuick
import Quire

/// Accepts a chat that is dragged from the sidebar.
DropArea {
    id: area

    required property string text

    signal chatDropped(double id)

    keys: ["application/x-quire-chat"]
    onDropped: drop => area.chatDropped((drop.source as DraggedChat).chatId)

    Rectangle {
        anchors.fill: parent
        anchors.margins: 8
        visible: area.containsDrag
        radius: Theme.cardRadius
        color: Theme.hover
        border.color: Theme.accent

        Caption {
            anchors.centerIn: parent
            width: parent.width - 16
            horizontalAlignment: Text.AlignHCenter
            text: area.text
            wrapMode: Text.Wrap
            font.weight: Font.DemiBold
        }
    }
}
