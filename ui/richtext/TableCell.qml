import QtQuick
import Quire

/// A cell of a table; cells of the head are set off.
Item {
    id: cell

    required property string markup
    required property bool isHead
    required property real wantedWidth
    property alias color: view.color
    property alias isRightToLeft: view.isRightToLeft

    signal linkRequested(string link)

    // Whole pixels, so that the right edge of the frame is sharp.
    implicitWidth: Math.ceil(cell.wantedWidth) + 24
    implicitHeight: view.height + 12

    Line { visible: !cell.isHead; width: parent.width }
    MarkupView {
        id: view

        x: 12
        y: 6
        width: Math.max(cell.wantedWidth, 10)
        markup: cell.markup
        alignsTogether: true
        font.pixelSize: Theme.label
        font.weight: cell.isHead ? Font.DemiBold : Font.Normal
        onLinkRequested: link => cell.linkRequested(link)
    }
}
