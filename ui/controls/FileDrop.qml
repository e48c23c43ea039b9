import QtQuick
import Quire

/// Accepts files from other applications.
DropTarget {
    keys: ["text/uri-list"]
    onDropped: drop => drop.accept(Qt.CopyAction)  // Otherwise the file manager assumes that the drop was refused.
}
