pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The first-run page: three features and the ways to start. Shown once.
FocusScope {
    id: page

    required property FirstRun run
    required property ModelOffers offers

    component StartButton: ActionButton {
        id: button

        implicitHeight: 40
        Keys.onReturnPressed: button.clicked()
        Keys.onEnterPressed: button.clicked()
    }

    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Welcome to Quire")

    ScrollArea {
        anchors.fill: parent
        contentHeight: Math.max(page.height, column.height + 64)

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
                width: parent.width
                spacing: 10

                FirstRunLine { word: qsTr("Private"); sentence: qsTr("What you write stays on this computer, unless you choose a model on another machine.") }
                FirstRunLine { word: qsTr("Parallel"); sentence: qsTr("Many chats run at once; what they share is computed once.") }
                FirstRunLine { word: qsTr("Safe"); sentence: qsTr("Messages are saved before they are answered, and survive a crash.") }
            }
            FirstRunPersonas {
                width: parent.width
                run: page.run
            }
            Column {
                width: parent.width
                spacing: 12

                Notice {
                    width: parent.width
                    text: page.run.problem
                    dismissable: false
                }
                StartButton {
                    id: start

                    objectName: "firstRunStart"
                    primary: true
                    focus: true
                    text: page.run.startText
                    onClicked: page.run.startAlone()
                }
                StartButton {
                    objectName: "firstRunTogether"
                    enabled: page.run.canTalkTogether
                    text: page.run.togetherText
                    onClicked: page.run.startTogether()
                }
                ModelOffersView {
                    visible: page.offers.isAvailable
                    width: parent.width
                    offers: page.offers
                }
                Row {
                    width: parent.width
                    spacing: 12

                    StartButton {
                        id: models

                        objectName: "firstRunModels"
                        text: qsTr("Use a model you have")
                        onClicked: page.run.chooseModel()
                    }
                    Caption {
                        anchors.verticalCenter: parent.verticalCenter
                        width: parent.width - models.width - parent.spacing
                        text: page.run.modelsText
                        color: Theme.ink2
                        wrapMode: Text.Wrap
                        elide: Text.ElideRight
                        maximumLineCount: 2
                        Accessible.name: text
                    }
                }
            }
        }
    }
    Component.onCompleted: start.forceActiveFocus(Qt.TabFocusReason)
}
