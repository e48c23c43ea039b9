pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Chooses a persona's icon and colour.
Column {
    id: look

    required property PersonaEditor editor

    spacing: 12

    Grid {
        anchors.left: parent.left
        columns: Math.max(1, Math.floor((look.width + spacing) / (36 + spacing)))
        spacing: 6

        Repeater {
            model: look.editor.iconNames

            PickButton {
                required property string modelData

                name: look.editor.iconLabel(modelData)
                iconName: modelData
                chosen: look.editor.iconName === modelData
                tint: Theme.chatColor(look.editor.colorIndex)
                onClicked: look.editor.iconName = modelData
            }
        }
    }
    Row {
        anchors.left: parent.left
        spacing: 6

        Repeater {
            model: 4

            PickButton {
                required property int index

                name: qsTr("Colour %1").arg(index + 1)
                iconName: ""
                chosen: look.editor.colorIndex === index
                tint: Theme.chatColor(index)
                onClicked: look.editor.colorIndex = index
            }
        }
    }
}
