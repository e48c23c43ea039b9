pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The first-run page: what Quire does, and one way to start. Shown once.
FocusScope {
    id: page

    required property FirstRun run
    required property ModelOffers offers
    required property ModelLibrary models

    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Welcome to Quire")

    ScrollArea {
        id: area

        anchors.fill: parent
        contentHeight: Math.max(page.height, column.height + 64)

        FocusScroll { view: area }

        Column {
            id: column

            anchors.centerIn: parent
            width: Math.min(640, page.width - 64)
            spacing: 28

            Heading {
                width: parent.width
                text: qsTr("Welcome to Quire")
                font.pixelSize: Theme.display
            }
            Column {
                id: features

                readonly property real wordWidth: Math.max(privacy.ownWidth, parallelism.ownWidth, safety.ownWidth)

                width: parent.width
                spacing: 10

                FirstRunLine { id: privacy; wordWidth: features.wordWidth; word: qsTr("Private"); sentence: qsTr("What you write stays on this computer, unless you choose a remote model.") }
                FirstRunLine { id: parallelism; wordWidth: features.wordWidth; word: qsTr("Parallel"); sentence: qsTr("Many chats run at once; what they share is computed once.") }
                FirstRunLine { id: safety; wordWidth: features.wordWidth; word: qsTr("Safe"); sentence: qsTr("Messages are saved before they are answered, and survive a crash.") }
            }
            FirstRunModel {
                id: model

                width: parent.width
                run: page.run
                offers: page.offers
            }
        }
    }
    ModelDrop {
        anchors.fill: parent
        models: page.models
    }
    Component.onCompleted: model.focusPrimary()
}
