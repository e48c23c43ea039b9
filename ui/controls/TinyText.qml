import QtQuick
import Quire

/// The smallest text: dates, hints, and the labels of plots.
Caption {
    color: Theme.ink2
    font.pixelSize: Theme.tiny
}
