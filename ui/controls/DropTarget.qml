import QtQuick
import Quire

/// Accepts drops; shows a frame with a text while something is dragged over it.
DropArea {
    id: area

    required property string text

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
