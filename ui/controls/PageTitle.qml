import QtQuick
import Quire

/// The title of a page, with a sentence below and actions at the right.
Item {
    id: head

    required property string title
    property string subtitle: ""
    property alias actions: actionRow.data

    implicitHeight: Math.max(words.height, actionRow.height)

    Column {
        id: words

        width: parent.width - actionRow.width - 16
        spacing: 6

        Heading {
            width: parent.width
            text: head.title
            font.pixelSize: Theme.display
        }
        Caption {
            visible: text !== ""
            width: parent.width
            text: head.subtitle
            color: Theme.ink2
            font.pixelSize: Theme.text
            wrapMode: Text.Wrap
            lineRatio: 1.75
        }
    }
    Row {
        id: actionRow

        anchors.right: parent.right
        spacing: 8
    }
}
