import QtQuick
import Quire

/// A modal question with its answers, laid out from right to left.
ModalPopup {
    id: card

    required property string title
    required property string words
    property string subject: ""  ///< Emphasised; empty: not shown.
    property string quote: ""  ///< What the question is about, in a monospaced font.
    property bool shown: false
    default property alias answers: row.data

    anchors.centerIn: parent
    width: Math.min(480, parent.width - 40)
    padding: 20
    onShownChanged: card.shown ? card.open() : card.close()
    Component.onCompleted: card.shown ? card.open() : card.close()

    contentData: Column {
        width: card.availableWidth
        spacing: 12
        Accessible.role: Accessible.Dialog
        Accessible.name: card.title

        Heading {
            width: parent.width
            text: card.title
            font.pixelSize: Theme.large
            wrapMode: Text.Wrap
        }
        Caption {
            visible: text !== ""
            width: parent.width
            text: card.subject
            font.family: Theme.mono
            font.pixelSize: Theme.text
            font.weight: Font.DemiBold
            wrapMode: Text.WrapAnywhere
            elide: Text.ElideRight
            maximumLineCount: 6
        }
        SmallText {
            visible: text !== ""
            width: parent.width
            text: card.quote
            color: Theme.ink
            font.family: Theme.mono
            wrapMode: Text.WrapAnywhere
            elide: Text.ElideRight
            maximumLineCount: 6
        }
        Caption {
            width: parent.width
            bottomPadding: 8
            text: card.words
            color: Theme.ink2
            wrapMode: Text.Wrap
            lineRatio: 1.5
        }
        Flow {
            id: row

            width: parent.width
            layoutDirection: Qt.RightToLeft
            spacing: 8
        }
    }
}
