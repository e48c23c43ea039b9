import QtQuick
import Quire

/// A small icon button below a message.
IconButton {
    implicitWidth: 26
    implicitHeight: 24
    iconSize: 14
    focusPolicy: Qt.TabFocus  // A click leaves the focus in the composer.
}
