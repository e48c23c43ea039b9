import QtQuick
import Quire
import Quire.Models

/// The text of the selected block.
Rectangle {
    id: reader

    required property BlockMapModel map

    visible: reader.map.hasReading
    implicitHeight: visible ? words.y + words.height + 12 : 0
    radius: Theme.rowRadius
    color: Theme.code
    border.color: Theme.line
    Accessible.role: Accessible.Grouping
    Accessible.name: reader.map.readingTitle

    SmallText {
        anchors.left: parent.left
        anchors.leftMargin: 12
        y: 10
        width: parent.width - 52
        text: reader.map.readingTitle
    }
    IconButton {
        anchors.right: parent.right
        anchors.rightMargin: 6
        y: 4
        iconName: "close"
        name: qsTr("Close block text")
        onClicked: reader.map.closeReading()
    }
    SelectableText {
        id: words

        x: 12
        y: 32
        width: parent.width - 24
        text: reader.map.readingText
        wrapMode: TextEdit.Wrap
        font.family: Theme.mono
        font.pixelSize: Theme.label
    }
}
