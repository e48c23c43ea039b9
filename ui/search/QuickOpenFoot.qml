import QtQuick
import Quire
import Quire.Models

/// Key hints below the results.
Item {
    id: foot

    required property QuickOpen quick

    implicitHeight: 36

    Line { width: parent.width }
    Caption {
        anchors.verticalCenter: parent.verticalCenter
        x: 20
        width: parent.width - 40
        text: foot.quick.note !== "" ? foot.quick.note : foot.quick.isCommands ? qsTr("↑ ↓ select   ↵ run   Esc close")
            : qsTr("↑ ↓ select   ↵ open   Esc close   > commands")
        color: Theme.ink2
        font.pixelSize: Theme.tiny
    }
}
