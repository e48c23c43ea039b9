import QtQuick
import Quire

/// The title of a page, with a sentence below and actions at the right or, where there is no room, below.
Item {
    id: head

    required property string title
    property string subtitle: ""
    property int titleSize: Theme.display
    property alias actions: actionRow.data
    readonly property bool stacks: head.width > 0 && head.width < actionRow.width + 176

    implicitHeight: head.stacks ? actionRow.y + actionRow.height : Math.max(words.height, actionRow.height)

    Column {
        id: words

        anchors.left: parent.left
        width: head.stacks ? parent.width : parent.width - actionRow.width - 16
        spacing: 6

        Heading {
            width: parent.width
            text: head.title
            font.pixelSize: head.titleSize
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

        x: head.stacks !== Theme.mirrored ? 0 : head.width - width
        y: head.stacks ? words.height + 12 : 0
        spacing: 8
    }
}
