import QtQuick
import Quire

/// The layout of a page: title, subtitle, actions at the right, and scrolling content in one column.
ScrollArea {
    id: frame

    required property string title
    property string subtitle: ""
    property real contentMaximum: Theme.pageWidth
    default property alias content: body.data
    property alias actions: head.actions
    /// The same on all pages, however wide their content is.
    readonly property real columnX: Math.max(Theme.pageMargin, Math.round((frame.width - Theme.pageWidth) / 2))
    readonly property real columnWidth: Math.min(frame.contentMaximum, frame.width - frame.columnX - Theme.pageMargin)

    contentHeight: column.y + column.height + 48
    Accessible.role: Accessible.Pane
    Accessible.name: frame.title

    Column {
        id: column

        anchors.left: parent.left
        anchors.leftMargin: frame.columnX
        y: Theme.pageMargin
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
