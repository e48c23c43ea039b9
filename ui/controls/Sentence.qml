import QtQuick
import Quire

/// A sentence about a state, marked where it warns; hidden while it is empty.
Row {
    id: line

    required property string text
    property bool warns: false

    visible: line.text !== ""
    spacing: 8
    Accessible.role: line.warns ? Accessible.AlertMessage : Accessible.StaticText
    Accessible.name: line.text

    Icon {
        visible: line.warns
        y: 1
        size: 16
        iconName: "warning"
        color: Theme.warning
    }
    Caption {
        width: line.width - (line.warns ? 24 : 0)
        text: line.text
        color: line.warns ? Theme.ink : Theme.ink2
        font.pixelSize: line.warns ? Theme.label : Theme.small
        wrapMode: Text.Wrap
        elide: Text.ElideRight
        maximumLineCount: 6
        lineRatio: 1.6
    }
}
