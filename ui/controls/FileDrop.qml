import QtQuick
import Quire

/// Accepts files from outside.
DropTarget {
    keys: ["text/uri-list"]
    onDropped: drop => drop.accept(Qt.CopyAction)  // Else the file manager believes that nobody took it.
}
