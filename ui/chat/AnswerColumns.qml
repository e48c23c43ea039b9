pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// Several answers to one message, side by side, until the user keeps one.
Item {
    id: columns

    required property ChatModel chat
    required property AttachmentReader reader
    property bool isLow: false
    /// As many whole columns as fit: none is cut at the edge.
    readonly property int numShown: Math.max(1, Math.min(list.count, Math.floor(columns.width / 232)))
    readonly property real columnWidth: Math.floor(columns.width / columns.numShown)

    function scrollBy(distance: real): void {
        const most = list.originX + list.contentWidth - list.width;
        list.contentX = Math.max(list.originX, Math.min(list.contentX + (Theme.mirrored ? -distance : distance), most));
    }

    signal linkRequested(string link)
    signal menuRequested(double messageId)
    signal modelsRequested()

    Line { width: parent.width }
    Row {
        id: choices

        anchors.left: parent.left
        anchors.leftMargin: Theme.margin
        y: columns.isLow ? 4 : 8
        spacing: 8

        ActionButton {
            objectName: "keepAll"
            focusPolicy: Qt.TabFocus
            implicitHeight: columns.isLow ? 26 : 32
            text: qsTr("Keep all as versions")
            hintText: qsTr("Switch between them with the arrows on the message")
            onClicked: columns.chat.turns.keepAllAnswers()
        }
        ActionButton {
            objectName: "forkAll"
            focusPolicy: Qt.TabFocus
            implicitHeight: columns.isLow ? 26 : 32
            enabled: !columns.chat.turns.isGenerating
            text: qsTr("Open all as chats")
            hintText: qsTr("Each continues in its own chat, the first one here")
            onClicked: columns.chat.turns.forkAllAnswers()
        }
    }
    Row {
        visible: list.contentWidth > list.width + 1
        anchors.right: parent.right
        anchors.rightMargin: Theme.margin - 6
        anchors.verticalCenter: choices.verticalCenter

        IconButton {
            enabled: Theme.mirrored ? !list.atXEnd : !list.atXBeginning
            focusPolicy: Qt.TabFocus
            iconName: "left"
            name: qsTr("Show previous answers")
            onClicked: columns.scrollBy(-columns.columnWidth)
        }
        IconButton {
            objectName: "laterAnswers"
            enabled: Theme.mirrored ? !list.atXBeginning : !list.atXEnd
            focusPolicy: Qt.TabFocus
            iconName: "right"
            name: qsTr("Show next answers")
            onClicked: columns.scrollBy(columns.columnWidth)
        }
    }
    ListView {
        id: list

        objectName: "answerColumns"
        anchors.fill: parent
        anchors.topMargin: choices.height + 2 * choices.y
        orientation: ListView.Horizontal
        boundsBehavior: Flickable.StopAtBounds
        snapMode: ListView.SnapToItem
        interactive: list.contentWidth > list.width
        clip: true
        model: columns.chat.turns.group
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Compare answers")

        delegate: AnswerColumnView {
            chat: columns.chat
            reader: columns.reader
            width: columns.columnWidth
            height: list.height
            isLow: columns.isLow
            onLinkRequested: link => columns.linkRequested(link)
            onMenuRequested: id => columns.menuRequested(id)
            onModelsRequested: columns.modelsRequested()
        }
        ScrollBar.horizontal: ScrollMark {}
    }
}
