import QtQuick
import Quire

/// A paragraph of the page that explains an error.
Caption {
    visible: text !== ""
    width: parent.width
    color: Theme.ink2
    wrapMode: Text.Wrap
    lineRatio: 1.75
    Accessible.name: text
}
