import QtQuick
import Quire

/// A sentence or two on the page that says what is wrong.
Caption {
    visible: text !== ""
    width: parent.width
    color: Theme.ink2
    wrapMode: Text.Wrap
    elide: Text.ElideNone
    lineRatio: 1.75
    Accessible.name: text
}
