pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The first files of a message, in rows, and how many others there are.
Flow {
    id: chips

    required property AttachmentList files
    property bool removable: false
    property real maximumWidth: chips.width
    /// Files without a chip.
    readonly property int hiddenCount: chips.files?.hiddenCount ?? 0
    /// The width of the widest row, for callers that align the chips to the right.
    readonly property real widestRow: {
        let widest = 0, row = 0;
        for (let i = 0; i < repeater.count; ++i) {
            const width = (repeater.itemAt(i) as AttachmentChip)?.implicitWidth ?? 0;
            row = row > 0 && row + chips.spacing + width <= chips.maximumWidth ? row + chips.spacing + width : width;
            widest = Math.max(widest, row);
        }
        return Math.ceil(Math.min(widest, chips.maximumWidth));
    }

    signal opened(int row)

    spacing: 6
    visible: repeater.count > 0
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Attached files")

    Repeater {
        id: repeater

        model: chips.files

        AttachmentChip {
            required property int index

            maximumWidth: chips.maximumWidth
            removable: chips.removable
            onOpened: chips.opened(index)
            onRemoved: chips.files.remove(index)
        }
    }
    SmallText {
        objectName: "hiddenAttachments"
        visible: chips.hiddenCount > 0
        height: 30
        verticalAlignment: Text.AlignVCenter
        text: qsTr("%1 more").arg(chips.hiddenCount)
    }
}
