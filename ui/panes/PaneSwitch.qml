pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The number of panes: one to four directly, up to nine one at a time.
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
        name: qsTr("Add pane (%1)").arg("Ctrl+\\")
        onClicked: choice.panes.split()
    }
}
