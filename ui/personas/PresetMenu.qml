pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// The built-in presets; each can be added more than once.
AppMenu {
    id: menu

    required property PersonaLibrary library

    implicitWidth: 440

    Instantiator {
        model: menu.library.presets
        delegate: PresetMenuItem {
            onTriggered: menu.library.addPreset(presetId)
        }
        onObjectAdded: (index, object) => menu.insertItem(index, object)
        onObjectRemoved: (index, object) => menu.removeItem(object)
    }
}
