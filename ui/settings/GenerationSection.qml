pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Sampling settings of a model, a persona or a chat.
Column {
    id: section

    required property GenerationEditor editor
    property string heading: qsTr("Sampling")

    spacing: 18

    Item {
        width: parent.width
        height: 24

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            text: section.heading
            font.pixelSize: Theme.text
            font.weight: Font.DemiBold
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Row {
            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            spacing: 12

            Caption {
                text: section.editor.summary
                color: Theme.ink2
                font.pixelSize: Theme.small
            }
            TextLink {
                visible: section.editor.hasOwn
                text: qsTr("Reset all")
                name: text
                onClicked: section.editor.resetAll()
            }
        }
    }
    Repeater {
        model: section.editor

        GenerationRow {
            width: section.width
            editor: section.editor
        }
    }
}
