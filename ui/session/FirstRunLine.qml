import QtQuick
import Quire

/// A feature on the first-run page: a word and a sentence.
Row {
    id: line

    required property string word
    required property string sentence

    width: parent.width
    spacing: 12

    Caption {
        width: 84
        text: line.word
        color: Theme.accent
        font.pixelSize: Theme.text
        font.weight: Font.DemiBold
    }
    Caption {
        width: line.width - 96
        text: line.sentence
        color: Theme.ink2
        font.pixelSize: Theme.text
        wrapMode: Text.Wrap
        Accessible.name: text
    }
}
