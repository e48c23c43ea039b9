import QtQuick
import QtQuick.Controls.Basic
import Quire

/// The layout of a page: title, subtitle, actions at the right, and scrolling content in one column.
Flickable {
    id: frame

    required property string title
    property string subtitle: ""
    property real contentMaximum: 880
    default property alias content: body.data
    property alias actions: actionRow.data
    readonly property real columnWidth: Math.min(frame.contentMaximum, frame.width - 2 * 32)

    contentHeight: column.y + column.height + 48
    boundsBehavior: Flickable.StopAtBounds
    clip: true
    Accessible.role: Accessible.Pane
    Accessible.name: frame.title

    Column {
        id: column

        x: Math.round((frame.width - width) / 2)
        y: 32
        width: frame.columnWidth
        spacing: 24

        Item {
            width: parent.width
            height: Math.max(words.height, actionRow.height)

            Column {
                id: words

                width: parent.width - actionRow.width - 16
                spacing: 6

                Caption {
                    width: parent.width
                    text: frame.title
                    font.pixelSize: Theme.display
                    font.weight: Font.DemiBold
                    Accessible.role: Accessible.Heading
                    Accessible.name: text
                }
                Caption {
                    visible: text !== ""
                    width: parent.width
                    text: frame.subtitle
                    color: Theme.ink2
                    font.pixelSize: Theme.text
                    wrapMode: Text.Wrap
                    elide: Text.ElideNone
                    lineRatio: 1.75
                }
            }
            Row {
                id: actionRow

                anchors.right: parent.right
                spacing: 8
            }
        }
        Column {
            id: body

            width: parent.width
            spacing: 16
        }
    }
    FocusScroll { view: frame }
    ScrollBar.vertical: ScrollMark {}
}
