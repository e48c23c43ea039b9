pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire.Models

/// A Shortcut for every command.
Instantiator {
    id: shortcuts

    required property CommandList commands

    model: shortcuts.commands

    Shortcut {
        required property string commandId
        required property string key
        required property string otherKey

        sequences: [key, otherKey]
        onActivated: shortcuts.commands.run(commandId)
    }
}
