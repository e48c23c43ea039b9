pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Sampling settings of a model, a persona or a chat. On the settings page its sections and its search decide what is
/// shown; elsewhere the advanced settings are folded here.
Column {
    id: section

    required property GenerationEditor editor
    property string heading: qsTr("Sampling")
    property SettingsSearch search: null
    property bool unfolded: false

    width: parent ? parent.width : 0
    spacing: 18

    Item {
        visible: section.search === null || !section.search.isSearching
        width: parent.width
        height: Math.max(24, title.height)

        Heading {
            id: title

            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, parent.width - state.width - 12)
            text: section.heading
            font.pixelSize: Theme.text
            wrapMode: Text.Wrap
        }
        Row {
            id: state

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
            search: section.search
            folded: isAdvanced && !section.unfolded
        }
    }
    AdvancedLink {
        anchors.left: parent.left
        objectName: "advancedSampling"
        visible: section.search === null
        open: section.unfolded
        onClicked: section.unfolded = !section.unfolded
    }
}
