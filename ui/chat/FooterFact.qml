import QtQuick
import Quire

/// A short text in an answer's footer, with a tooltip.
TinyText {
    id: fact

    property string hintText: ""

    visible: fact.text !== ""
    height: 24
    verticalAlignment: Text.AlignVCenter
    Accessible.role: Accessible.StaticText
    Accessible.name: fact.text
    Accessible.description: fact.hintText

    HoverHandler { id: hover }
    Hint {
        over: hover.hovered
        text: fact.hintText
    }
}
