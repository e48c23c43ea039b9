import QtQuick
import Quire

/// A heading between chats, such as Pinned, Folders or Today.
Heading {
    id: label

    property bool shown: true
    property real startPadding: 8

    visible: label.shown && label.text !== ""
    height: 34
    leftPadding: Theme.mirrored ? 0 : label.startPadding
    rightPadding: Theme.mirrored ? label.startPadding : 0
    bottomPadding: 6
    verticalAlignment: Text.AlignBottom
    color: Theme.ink2
    font.pixelSize: Theme.tiny
}
