import QtQuick
import Quire

/// A heading between chats, such as Pinned, Folders or Today.
Heading {
    id: label

    property bool shown: true

    visible: label.shown && label.text !== ""
    height: 34
    leftPadding: 8
    bottomPadding: 6
    verticalAlignment: Text.AlignBottom
    color: Theme.ink2
    font.pixelSize: Theme.tiny
}
