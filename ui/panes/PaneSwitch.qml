pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// How many chats stand side by side: one to four at a press, and one more each time up to nine.
Row {
    id: choice

    required property PaneListModel panes
    property bool compact: false

    spacing: 4

    Repeater {
        model: choice.compact ? [1, 2] : [1, 2, 3, 4]

        PaneCountButton {
            required property int modelData

            count: modelData
            checked: choice.panes.count === modelData
            onClicked: choice.panes.count = modelData
        }
    }
    IconButton {
        anchors.verticalCenter: parent.verticalCenter
        objectName: "splitButton"
        enabled: choice.panes.canSplit
        iconName: "split"
        iconSize: 18
        name: qsTr("Add pane (Ctrl+\\)")
        onClicked: choice.panes.split()
    }
}
