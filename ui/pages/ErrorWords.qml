import QtQuick
import Quire

/// A sentence or two on the page that says what is wrong.
Caption {
    visible: text !== ""
    width: parent.width
    color: Theme.ink2
    wrapMode: Text.Wrap
    elide: Text.ElideNone
    lineHeight: 1.45
    Accessible.name: text
}
