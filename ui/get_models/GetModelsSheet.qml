import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Finds models on hubs: a search, its results, and the files of a model. Downloads are shown by the Models page.
SideSheet {
    id: sheet

    required property GetModels source

    // The buttons for these go away.
    function cancel(): void {
        sheet.source.cancel();
        search.focusField();
    }
    function retry(): void {
        sheet.source.retry();
        search.focusField();
    }

    title: qsTr("Get models")
    iconName: "import"
    maximumWidth: 640
    shown: sheet.source.isOpen
    onOpened: search.focusField()
    onClosed: sheet.source.close()

    GetModelsSearch {
        id: search

        width: parent.width
        source: sheet.source
    }
    HubProgress {
        objectName: "searchProgress"
        visible: sheet.source.isAsking
        width: parent.width
        text: sheet.source.askingText
        onCancelled: sheet.cancel()
    }
    Sentence {
        objectName: "hubNote"
        width: parent.width
        text: sheet.source.note
    }
    Notice {
        objectName: "hubProblem"
        width: parent.width
        text: sheet.source.problem
        dismissable: false
        action: sheet.source.retryText
        isPrimary: sheet.source.retryIsNext
        onActed: sheet.retry()
    }
    ModelOffersView {
        visible: sheet.source.showsOffers && sheet.source.offers.isAvailable
        width: parent.width
        offers: sheet.source.offers
        isPrimary: sheet.source.offersAreNext
    }
    FoundModelsView {
        visible: sheet.source.showsResults
        width: parent.width
        source: sheet.source
    }
    ModelFilesHead {
        visible: sheet.source.showsFiles
        width: parent.width
        source: sheet.source
    }
    HubTokenCard {
        visible: sheet.source.needsToken
        width: parent.width
        source: sheet.source
    }
    Sentence {
        objectName: "tokenNote"
        width: parent.width
        text: sheet.source.keptTokenNote
    }
    ModelFilesView {
        visible: sheet.source.showsFiles
        width: parent.width
        source: sheet.source
    }
    GetModelsOptions {
        width: parent.width
        source: sheet.source
    }
    footer: RowLayout {
        Layout.fillWidth: true
        spacing: 12

        Column {
            Layout.fillWidth: true
            spacing: 6

            Sentence {
                objectName: "sheetFailure"
                width: parent.width
                text: sheet.source.failureText
                warns: true
            }
            SmallText {
                objectName: "sheetDownloads"
                visible: text !== ""
                width: parent.width
                text: sheet.source.downloads.summaryText
            }
            MeterBar {
                visible: sheet.source.downloads.isActive
                width: parent.width
                height: 4
                leastWidth: 4
                value: sheet.source.downloads.progress
            }
        }
        ActionButton {
            objectName: "getModelsDone"
            text: qsTr("Done")
            onClicked: sheet.close()
        }
    }
}
