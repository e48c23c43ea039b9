pragma ComponentBehavior: Bound
import QtQuick
import Quire

/// A row of choices, of which one is current.
Row {
    id: row

    required property string name
    required property list<string> choices
    required property int current

    signal chosen(int index)

    spacing: 4
    Accessible.role: Accessible.Grouping
    Accessible.name: row.name

    Repeater {
        model: row.choices

        ChoiceButton {
            required property string modelData
            required property int index

            text: modelData
            checked: row.current === index
            onClicked: row.chosen(index)
        }
    }
}
