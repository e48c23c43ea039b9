import QtQuick
import Quire

/// A model that Quire recommends: its size and licence, and Download; later its progress, and the way to chat with it.
CardFrame {
    id: card

    required property string title
    required property string summary
    required property string facts
    required property string actText
    required property bool isSuggested
    required property bool isWorking
    required property real share
    required property string problem
    required property string ownProblem
    property bool isListed: false  ///< A DownloadRow beside it says why its download stopped.
    property bool isPrimary: false  ///< Its button may be the page's primary one.

    readonly property Item button: act

    signal acted()

    implicitHeight: column.height + 28
    border.color: card.problem !== "" ? Theme.warning : card.isSuggested ? Theme.accent : Theme.line
    Accessible.role: Accessible.Grouping
    Accessible.name: card.title

    Column {
        id: column

        x: 14
        y: 14
        width: parent.width - 28
        spacing: 6

        Caption {
            width: parent.width
            text: card.title
            font.weight: Font.DemiBold
        }
        SmallText {
            width: parent.width
            height: Math.round(3 * 1.5 * font.pixelSize)
            text: card.summary
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            maximumLineCount: 3
            lineRatio: 1.5
        }
        SmallText {
            objectName: "offerFacts"
            width: parent.width
            height: Math.max(implicitHeight, Math.round(2 * 1.5 * font.pixelSize))
            text: card.facts
            color: Theme.ink
            wrapMode: Text.Wrap
            maximumLineCount: 3
            lineRatio: 1.5
            Accessible.name: text
        }
        Item {
            width: parent.width
            height: 4  // Also without a download, so that the cards of a row stay equally high.

            MeterBar {
                objectName: "offerProgress"
                visible: card.isWorking
                anchors.fill: parent
                leastWidth: 4
                value: card.share
            }
        }
        Sentence { width: parent.width; text: card.isListed ? card.ownProblem : card.problem; warns: true }
        ActionButton {
            id: act

            anchors.left: parent.left
            objectName: "getOffer"
            primary: card.isPrimary && card.isSuggested
            text: card.actText
            Accessible.name: qsTr("%1: %2").arg(card.title).arg(card.actText)
            Keys.onReturnPressed: card.acted()
            Keys.onEnterPressed: card.acted()
            onClicked: card.acted()
        }
    }
}
