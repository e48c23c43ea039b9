pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The files of a message, in rows.
Flow {
    id: chips

    required property AttachmentList files
    property bool removable: false

    signal opened(int row)

    spacing: 6
    visible: repeater.count > 0
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Files of the message")

    Repeater {
        id: repeater

        model: chips.files

        AttachmentChip {
            required property int index

            maximumWidth: chips.width
            removable: chips.removable
            onOpened: chips.opened(index)
            onRemoved: chips.files.remove(index)
        }
    }
}
