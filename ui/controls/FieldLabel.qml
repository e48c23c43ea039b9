import QtQuick
import Quire

/// The label of a form field, with a line of help below.
Column {
    id: field

    required property string text
    property string help: ""
    default property alias content: slot.data

    spacing: 6

    Caption {
        text: field.text
        font.weight: Font.DemiBold
    }
    Column {
        id: slot

        width: parent.width
    }
    Caption {
        visible: text !== ""
        width: parent.width
        text: field.help
        color: Theme.ink2
        font.pixelSize: Theme.small
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        lineRatio: 1.55
    }
}
