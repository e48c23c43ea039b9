import QtQuick
import Quire

/// The layout of a page: title, subtitle, actions at the right, and scrolling content in one column.
ScrollArea {
    id: frame

    required property string title
    property string subtitle: ""
    property real contentMaximum: 880
    default property alias content: body.data
    property alias actions: head.actions
    readonly property real columnWidth: Math.min(frame.contentMaximum, frame.width - 2 * 32)

    contentHeight: column.y + column.height + 48
    Accessible.role: Accessible.Pane
    Accessible.name: frame.title

    Column {
        id: column

        x: Math.round((frame.width - width) / 2)
        y: 32
        width: frame.columnWidth
        spacing: 24

        PageTitle {
            id: head

            width: parent.width
            title: frame.title
            subtitle: frame.subtitle
        }
        Column {
            id: body

            width: parent.width
            spacing: 16
        }
    }
    FocusScroll { view: frame }
}
