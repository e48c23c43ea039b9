pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// The segmented control: a row of choices, of which one is current. The arrow keys choose its neighbours.
Rectangle {
    id: row

    required property string name
    required property list<string> choices
    required property int current
    readonly property int stepToRight: Theme.mirrored ? -1 : 1
    property string segmentName: ""  ///< The objectNames of the segments, with their number from 1.

    signal chosen(int index)

    function choose(index: int): void {
        const segment = segments.itemAt(index) as Segment;
        if (segment === null)
            return;
        row.chosen(index);
        segment.forceActiveFocus(Qt.TabFocusReason);
    }

    implicitWidth: line.implicitWidth + 4
    implicitHeight: line.implicitHeight + 4
    radius: Theme.rowRadius
    color: Theme.bubble
    Accessible.role: Accessible.Grouping
    Accessible.name: row.name

    Row {
        id: line

        anchors.left: parent.left
        anchors.leftMargin: 2
        y: 2

        Repeater {
            id: segments

            model: row.choices

            Segment {
                required property string modelData
                required property int index

                objectName: row.segmentName === "" ? "" : row.segmentName + (index + 1)
                text: modelData
                checked: row.current === index
                Keys.onLeftPressed: row.choose(index - row.stepToRight)
                Keys.onRightPressed: row.choose(index + row.stepToRight)
                onClicked: row.chosen(index)
            }
        }
    }
}
