import QtQuick
import QtQuick.Layouts
import Quire

/// A cell of a table; cells of the head are set off.
Item {
    id: cell

    required property string markup
    required property bool isHead
    required property real maximumTextWidth

    signal linkRequested(string link)

    Layout.fillWidth: true
    Layout.fillHeight: true
    implicitWidth: Math.min(view.implicitWidth, cell.maximumTextWidth) + 24
    implicitHeight: view.height + 12

    Rectangle {
        visible: !cell.isHead
        width: parent.width
        height: 1
        color: Theme.line
    }
    MarkupView {
        id: view

        x: 12
        y: 6
        width: Math.max(parent.width - 24, 10)
        markup: cell.markup
        font.pixelSize: Theme.label
        font.weight: cell.isHead ? Font.DemiBold : Font.Normal
        onLinkRequested: link => cell.linkRequested(link)
    }
}
