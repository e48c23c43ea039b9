import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// One of several answers: its label, its text, and a button to keep it.
Item {
    id: view

    required property ChatModel chat
    required property AttachmentReader reader
    required property AnswerColumn column
    required property int index
    property bool isLow: false

    signal linkRequested(string link)
    signal menuRequested(double messageId)
    signal modelsRequested()

    Accessible.role: Accessible.ListItem
    Accessible.name: view.column.label

    RowLayout {
        id: head

        x: Theme.margin
        width: parent.width - 2 * Theme.margin
        height: view.isLow ? 28 : 32
        spacing: 8

        SmallText {
            Layout.fillWidth: true
            text: view.column.label
            font.weight: Font.DemiBold
        }
        ActionButton {
            objectName: "keep" + view.index
            focusPolicy: Qt.TabFocus
            implicitHeight: view.isLow ? 26 : 28
            text: qsTr("Keep this one")
            hintText: qsTr("Deletes the others; you can undo this for a few seconds")
            onClicked: view.chat.turns.keepAnswer(view.column.messageId)
        }
    }
    Timeline {
        id: timeline

        objectName: "answerColumn"
        anchors.top: head.bottom
        anchors.topMargin: view.isLow ? 0 : 8
        anchors.bottom: latest.top
        width: parent.width
        chat: view.chat
        reader: view.reader
        timeline: view.column.timeline
        opensAtStart: true  // Answers are compared from their beginnings.
        bottomMargin: view.isLow ? 8 : 24
        onLinkRequested: link => view.linkRequested(link)
        onMenuRequested: id => view.menuRequested(id)
        onModelsRequested: view.modelsRequested()
    }
    LatestButton {
        id: latest

        anchors.bottom: parent.bottom
        width: parent.width
        timeline: timeline
        room: view.height - timeline.y
    }
    Line { anchors.left: parent.left; visible: view.index > 0; height: parent.height }
}
