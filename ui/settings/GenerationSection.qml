pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Sampling settings of a model, a persona or a chat.
Column {
    id: section

    required property GenerationEditor editor
    property string heading: qsTr("Sampling")

    width: parent ? parent.width : 0
    spacing: 18

    Item {
        width: parent.width
        height: 24

        Heading {
            anchors.verticalCenter: parent.verticalCenter
            text: section.heading
            font.pixelSize: Theme.text
        }
        Row {
            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            spacing: 12

            SmallText {
                text: section.editor.summary
            }
            TextLink {
                visible: section.editor.hasOwn
                text: qsTr("Reset all")
                onClicked: section.editor.resetAll()
            }
        }
    }
    Repeater {
        model: section.editor

        GenerationRow {
            editor: section.editor
        }
    }
}
