import QtQuick
import Quire
import Quire.Models

/// Asks whether to keep what a cancelled download has on the disk. Suggests to keep it.
AskCard {
    id: card

    required property DownloadList downloads

    objectName: "cancelDownloadCard"
    title: qsTr("Cancel this download?")
    subject: card.downloads.askedTitle
    words: card.downloads.askedText
    shown: card.downloads.isAsking
    onAboutToShow: keep.forceActiveFocus()
    onClosed: card.downloads.answerNothing()

    ActionButton {
        id: keep

        objectName: "keepDownload"
        primary: true
        focus: true
        text: card.downloads.isAskedWorking ? qsTr("Pause and keep") : qsTr("Keep")
        onClicked: card.downloads.answerKeep()
    }
    ActionButton {
        objectName: "deleteDownload"
        text: qsTr("Cancel and delete")
        onClicked: card.downloads.answerDelete()
    }
    ActionButton {
        visible: card.downloads.isAskedWorking
        text: qsTr("Keep downloading")
        onClicked: card.downloads.answerNothing()
    }
}
