import QtQuick
import Quire

/// The label of a form field, with a line of help below.
Column {
    id: field

    required property string text
    property string help: ""
    default property alias content: slot.data

    width: parent ? parent.width : 0
    spacing: 6

    Caption {
        anchors.left: parent.left
        text: field.text
        font.weight: Font.DemiBold
    }
    Column {
        id: slot

        width: parent.width
    }
    SmallText {
        visible: text !== ""
        width: parent.width
        text: field.help
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
}
