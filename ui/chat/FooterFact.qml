import QtQuick
import Quire

/// A few words under an answer; the rest of it when the pointer rests on them.
Caption {
    id: fact

    property string hintText: ""

    visible: fact.text !== ""
    height: 24
    verticalAlignment: Text.AlignVCenter
    color: Theme.ink2
    font.pixelSize: Theme.tiny
    Accessible.role: Accessible.StaticText
    Accessible.name: fact.text
    Accessible.description: fact.hintText

    HoverHandler { id: hover }
    Hint {
        over: hover.hovered
        text: fact.hintText
    }
}
