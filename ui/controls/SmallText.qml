import QtQuick
import Quire

/// Secondary text: help, details and figures.
Caption {
    color: Theme.ink2
    font.pixelSize: Theme.small
}
