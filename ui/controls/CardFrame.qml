import QtQuick
import Quire

/// The rounded background of a card, a menu or a dialog.
Rectangle {
    radius: Theme.cardRadius
    color: Theme.surface
    border.color: Theme.line
}
