import QtQuick
import Quire

/// A feature on the first-run page: a word and a sentence.
Row {
    id: line

    required property string word
    required property string sentence
    required property real wordWidth  ///< Of the widest word of the lines.
    readonly property real ownWidth: head.implicitWidth

    width: parent.width
    spacing: 12

    Caption {
        id: head

        width: line.wordWidth
        text: line.word
        color: Theme.accent
        font.pixelSize: Theme.text
        font.weight: Font.DemiBold
    }
    Caption {
        width: line.width - line.wordWidth - line.spacing
        text: line.sentence
        color: Theme.ink2
        font.pixelSize: Theme.text
        wrapMode: Text.Wrap
        Accessible.name: text
    }
}
