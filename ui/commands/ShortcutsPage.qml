pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// All keyboard shortcuts, by group, from the list of commands.
PageFrame {
    id: page

    required property CommandList commands
    required property ShortcutListModel shortcuts

    title: qsTr("Shortcuts")
    subtitle: qsTr("Everything in Quire can be done from the keyboard. Press %1 for a list of all commands.")
        .arg(page.commands.keyText("commands.open"))
    contentMaximum: 640

    SearchField {
        objectName: "shortcutSearch"
        width: parent.width
        name: qsTr("Search shortcuts")
        text: page.shortcuts.query
        onTextEdited: page.shortcuts.query = text
    }
    Caption {
        anchors.left: parent.left
        visible: page.shortcuts.isEmpty
        text: qsTr("No matching shortcuts")
        color: Theme.ink2
    }
    Column {
        width: parent.width
        spacing: 0

        Repeater {
            model: page.shortcuts

            ShortcutEntry {
                width: parent.width
            }
        }
    }
}
