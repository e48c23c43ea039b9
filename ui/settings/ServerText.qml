import QtQuick
import Quire

/// An address or a key: to read and select, in letters that differ from each other.
SelectableText {
    id: view

    required property string name
    property bool live: true

    anchors.verticalCenter: parent ? parent.verticalCenter : undefined
    color: view.live ? Theme.ink : Theme.ink2
    font.family: Theme.mono
    font.pixelSize: Theme.small
    Accessible.name: view.name
    Accessible.description: view.text
}
