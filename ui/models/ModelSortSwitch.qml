pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The sort order of models.
Row {
    id: row

    required property ModelLibrary library

    spacing: 2
    Accessible.role: Accessible.Grouping
    Accessible.name: qsTr("Sort by")

    Repeater {
        model: [qsTr("Last used"), qsTr("Name"), qsTr("Size")]

        SortButton {
            required property string modelData
            required property int index

            text: modelData
            checked: row.library.sortChoice === index
            onClicked: row.library.sortChoice = index
        }
    }
}
