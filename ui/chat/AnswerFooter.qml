import QtQuick
import Quire
import Quire.Models

/// The footer of an answer: its state, speed, cache use, and actions; of one that failed, what to do about it.
BlockFrame {
    id: footer

    required property ChatModel chat
    required property double messageId
    required property bool isRunning
    required property bool hasFailed
    required property bool warns
    required property string phaseText
    required property string speedText
    required property string speedHint
    required property string cacheText
    required property string cacheHint
    required property string leftOutText
    required property string leftOutHint
    required property int version
    required property int versionCount
    readonly property bool isPaused: footer.isRunning && footer.chat.turns.isPaused

    signal menuRequested(double messageId)
    signal modelsRequested()

    indent: 0
    quoteDepth: 0
    gap: footer.isFirst ? 6 : 8

    MessageState {
        id: messageState

        chat: footer.chat
        messageId: footer.messageId
    }
    Column {
        width: parent.width
        spacing: 6

        Row {
            visible: phaseLabel.text !== ""
            width: parent.width
            spacing: 10

            ActivityMark {
                id: activity

                visible: footer.isRunning && !footer.isPaused
                y: 2
                color: Theme.chatColor(footer.chat.colorIndex)
            }
            Icon {
                id: sign

                visible: footer.warns
                y: 2
                size: 16
                iconName: "warning"
                color: Theme.warning
            }
            Caption {
                id: phaseLabel

                width: parent.width - (activity.visible ? activity.width + 10 : 0) - (sign.visible ? sign.width + 10 : 0)
                text: footer.isPaused ? qsTr("Paused") : footer.phaseText
                color: footer.warns ? Theme.warning : Theme.ink2
                font.pixelSize: Theme.label
                wrapMode: Text.Wrap
                lineRatio: 1.6
                Accessible.role: footer.warns ? Accessible.AlertMessage : Accessible.StaticText
                Accessible.name: text
            }
        }
        Flow {
            visible: !footer.isRunning || footer.cacheText !== ""
            width: parent.width
            spacing: 12

            FooterFact {
                objectName: "speedFact"
                text: footer.speedText
                hintText: footer.speedHint
            }
            FooterFact {
                objectName: "cacheFact"
                text: footer.cacheText
                hintText: footer.cacheHint
            }
            FooterFact {
                objectName: "leftOutFact"
                text: footer.leftOutText
                hintText: footer.leftOutHint
            }
            FooterButton {
                objectName: "tryAgain"
                visible: footer.warns
                enabled: footer.chat.turns.canRegenerate
                iconName: "regenerate"
                text: footer.hasFailed ? qsTr("Try again") : qsTr("Regenerate")
                onClicked: footer.chat.turns.regenerate(footer.messageId)
            }
            FooterButton {
                objectName: "otherModel"
                visible: footer.hasFailed
                iconName: "model"
                text: qsTr("Choose another model")
                onClicked: footer.modelsRequested()
            }
            AnswerActions {
                id: actions

                readonly property bool begins: Theme.mirrored ? actions.x + actions.width === actions.parent.width : actions.x === 0

                visible: !footer.isRunning
                message: messageState
                hasFailed: footer.hasFailed
                warns: footer.warns
                // The first icon of a wrapped row stands where the text begins.
                transform: Translate { x: !actions.begins ? 0 : Theme.mirrored ? 6 : -6 }
                onMenuRequested: footer.menuRequested(footer.messageId)
            }
            // After the buttons, so that these do not move when a second version appears.
            VersionSwitch {
                objectName: "answerVersions"
                height: 24
                version: footer.version
                versionCount: footer.versionCount
                canSwitch: footer.chat.turns.canChange
                onSwitched: step => footer.chat.history.showVersion(footer.messageId, step)
            }
            FooterButton {
                objectName: "continueButton"
                visible: messageState.canContinue
                iconName: "continue"
                text: qsTr("Continue")
                Accessible.description: qsTr("Continues this answer where it was cut off")
                onClicked: footer.chat.turns.continueAnswer(footer.messageId)
            }
        }
    }
}
