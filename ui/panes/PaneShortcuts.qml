pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire.Models

/// The keys of the panes and of the one composer: Ctrl+1 to 4, Ctrl+\, Ctrl+W, Ctrl+Alt+arrows, Ctrl+Shift+A.
Item {
    id: keys

    required property AppModel app

    Instantiator {
        model: 4

        delegate: Shortcut {
            required property int index

            sequence: "Ctrl+" + (index + 1)
            onActivated: keys.app.panes.count = index + 1
        }
    }
    Shortcut {
        sequence: "Ctrl+\\"
        onActivated: keys.app.panes.split()
    }
    Shortcut {
        sequence: "Ctrl+W"
        onActivated: keys.app.panes.closeFocusedPane()
    }
    Shortcut {
        sequence: "Ctrl+Alt+Left"
        onActivated: keys.app.panes.moveFocus(-1, 0)
    }
    Shortcut {
        sequence: "Ctrl+Alt+Right"
        onActivated: keys.app.panes.moveFocus(1, 0)
    }
    Shortcut {
        sequence: "Ctrl+Alt+Up"
        onActivated: keys.app.panes.moveFocus(0, -1)
    }
    Shortcut {
        sequence: "Ctrl+Alt+Down"
        onActivated: keys.app.panes.moveFocus(0, 1)
    }
    Shortcut {
        sequence: "Ctrl+Shift+A"
        onActivated: keys.app.composer.toggleTarget()
    }
}
