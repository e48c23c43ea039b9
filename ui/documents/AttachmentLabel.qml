import QtQuick
import Quire

/// The text of a file's chip: name, and size or error.
Row {
    id: words

    required property string name
    required property string detail
    required property bool isProblem
    required property real maximumWidth

    spacing: 6

    Icon {
        anchors.verticalCenter: parent.verticalCenter
        size: 14
        iconName: words.isProblem ? "warning" : "file"
        color: words.isProblem ? Theme.warning : Theme.ink2
    }
    Caption {
        id: nameText

        anchors.verticalCenter: parent.verticalCenter
        width: Math.min(implicitWidth, 200)
        text: words.name
        elide: Text.ElideMiddle
        font.pixelSize: Theme.small
        font.weight: Font.Medium
    }
    Caption {
        anchors.verticalCenter: parent.verticalCenter
        width: Math.min(implicitWidth, words.maximumWidth - nameText.width - 26)
        text: words.detail
        color: words.isProblem ? Theme.warning : Theme.ink2
        font.pixelSize: Theme.small
    }
}
