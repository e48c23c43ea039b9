import QtQuick
import Quire
import Quire.Models

/// The cache blocks as squares, with a keyboard cursor and a tooltip.
Item {
    id: view

    required property BlockMapModel map
    property int largestSquare: 10
    property real maximumHeight: 160
    readonly property string scaleText: squares.scaleText

    implicitHeight: squares.height

    BlockMapItem {
        id: squares

        objectName: "blockSquares"
        width: parent.width
        height: implicitHeight
        map: view.map
        colors: Theme.blockColors
        largestSquare: view.largestSquare
        maximumHeight: view.maximumHeight
        Accessible.role: Accessible.Graphic
        Accessible.name: qsTr("Cache blocks. %1").arg(view.map.summary)
        Accessible.description: squares.cursorText
        Accessible.focusable: true

        Rectangle {
            visible: squares.activeFocus
            x: squares.cursorRect.x - 3
            y: squares.cursorRect.y - 3
            width: squares.cursorRect.width + 6
            height: squares.cursorRect.height + 6
            radius: 4
            color: "transparent"
            border.color: Theme.ink
            border.width: 2
        }
    }
    Hint {
        x: squares.hoverRect.x
        y: squares.hoverRect.y - height - 6
        visible: squares.hoverText !== ""
        text: squares.hoverText
    }
    Hint {
        visible: squares.activeFocus && squares.hoverText === "" && squares.cursorText !== ""
        x: squares.cursorRect.x
        y: squares.cursorRect.y - height - 6
        delay: 0
        text: squares.cursorText
    }
}
