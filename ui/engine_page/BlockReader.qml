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

    Caption {
        x: 12
        y: 10
        width: parent.width - 52
        text: reader.map.readingTitle
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
    IconButton {
        anchors.right: parent.right
        anchors.rightMargin: 6
        y: 4
        iconName: "close"
        name: qsTr("Close block text")
        onClicked: reader.map.closeReading()
    }
    TextEdit {
        id: words

        x: 12
        y: 32
        width: parent.width - 24
        text: reader.map.readingText
        textFormat: TextEdit.PlainText
        readOnly: true
        selectByMouse: true
        wrapMode: TextEdit.Wrap
        color: Theme.ink
        selectionColor: Theme.selection
        selectedTextColor: Theme.ink
        font.family: Theme.mono
        font.pixelSize: Theme.label
        Accessible.role: Accessible.StaticText
        Accessible.name: words.text
    }
}
