import QtQuick
import Quire
import Quire.Models

/// A result, with the heading of its group above the first of it.
Column {
    id: entry

    required property QuickOpen quick
    required property int index
    required property int kind
    required property string title
    required property string detail
    required property string trailing
    required property int colorIndex
    required property string heading

    SectionLabel {
        width: parent.width
        leftPadding: 20
        text: entry.heading
        shown: entry.heading !== ""
    }
    QuickOpenRow {
        x: 8
        width: parent.width - 16
        title: entry.title
        detail: entry.detail
        trailing: entry.trailing
        dotColor: Theme.chatColor(entry.colorIndex)
        hasDot: entry.kind !== QuickOpen.Command
        isCurrent: entry.ListView.isCurrentItem
        onHoveredChanged: hovered && entry.quick.point(entry.index)
        onClicked: entry.quick.activate(entry.index)
    }
}
