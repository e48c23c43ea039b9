import QtQuick
import Quire

/// A note in an empty list.
Caption {
    visible: text !== ""
    topPadding: 56
    bottomPadding: 56
    horizontalAlignment: Text.AlignHCenter
    color: Theme.ink2
    font.pixelSize: Theme.text
    wrapMode: Text.Wrap
    lineRatio: 1.75
}
