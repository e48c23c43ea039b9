pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The first-run page: three features and three ways to start. Shown once.
FocusScope {
    id: page

    required property FirstRun run

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

                FirstRunLine { word: qsTr("Private"); sentence: qsTr("Models run on this computer; nothing you write leaves it.") }
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
                ActionButton {
                    id: start

                    objectName: "firstRunStart"
                    primary: true
                    focus: true
                    implicitHeight: 40
                    text: page.run.startText
                    Keys.onReturnPressed: page.run.startAlone()
                    Keys.onEnterPressed: page.run.startAlone()
                    onClicked: page.run.startAlone()
                }
                ActionButton {
                    objectName: "firstRunTogether"
                    implicitHeight: 40
                    enabled: page.run.canTalkTogether
                    text: page.run.togetherText
                    Keys.onReturnPressed: page.run.startTogether()
                    Keys.onEnterPressed: page.run.startTogether()
                    onClicked: page.run.startTogether()
                }
                Row {
                    width: parent.width
                    spacing: 12

                    ActionButton {
                        id: models

                        objectName: "firstRunModels"
                        implicitHeight: 40
                        text: qsTr("Use a model you have")
                        Keys.onReturnPressed: page.run.chooseModel()
                        Keys.onEnterPressed: page.run.chooseModel()
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
