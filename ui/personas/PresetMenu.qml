pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// The personas that come with Quire; each can be added, also more than once.
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
