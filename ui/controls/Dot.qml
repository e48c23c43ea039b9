import QtQuick
import Quire

/// A small square in the colour of a chat, a persona or a state.
Rectangle {
    implicitWidth: 8
    implicitHeight: 8
    radius: Theme.dotRadius
}
