pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The messages of a chat. It follows a growing answer unless the user has scrolled away.
ScrollList {
    id: list

    required property ChatModel chat
    required property AttachmentReader reader
    property TimelineModel timeline: list.chat.timeline
    property bool opensAtStart: false  ///< It does not follow a growing answer before it is scrolled to the end.

    readonly property bool isFollowing: follower.following

    signal menuRequested(double messageId)
    signal linkRequested(string link)
    signal modelsRequested()

    function showLatest(): void {
        follower.follow();
    }

    /// The first row in view.
    function firstRow(): int {
        return list.indexAt(list.width / 2, list.contentY + 12);
    }

    function showEditor(): void {
        const row = list.timeline.firstRowOf(list.chat.editor.messageId);
        follower.letGo();
        list.positionViewAtIndex(row, ListView.Contain);
        list.forceLayout();
        list.positionViewAtIndex(row, ListView.Contain);  // Again, now that the heights are known.
        follower.letGo();  // While they were estimated, the view may have seemed to be at its end.
        (list.itemAtIndex(row) as MessageEditorRow)?.focusText();
    }

    function openMenuAt(scene: point): void {
        const at = list.contentItem.mapFromItem(null, scene.x, scene.y);
        list.menuRequested(list.timeline.messageAt(list.indexAt(at.x, at.y)));
    }

    objectName: "timeline"
    displayMarginEnd: follower.opening ? -list.height : 0
    reuseItems: true
    cacheBuffer: 420
    bottomMargin: 24
    Accessible.name: qsTr("Conversation")
    Accessible.description: list.chat.selection.spokenText
    Component.onCompleted: if (list.opensAtStart) follower.letGo()
    Keys.onMenuPressed: list.menuRequested(0)
    Keys.onPressed: event => {
        const opensMenu = event.key === Qt.Key_F10 && event.modifiers === Qt.ShiftModifier;
        opensMenu && list.menuRequested(0);
        event.accepted = opensMenu || area.handleKey(event.key, event.modifiers)
            || list.chat.selection.handleKey(list.timeline, event.key, event.modifiers);
    }

    delegate: TimelineDelegates {
        chat: list.chat
        timeline: list.timeline
        reader: list.reader
        tallestEditor: Math.max(120, list.height - 150)
        onMenuRequested: id => list.menuRequested(id)
        onLinkRequested: link => list.linkRequested(link)
        onModelsRequested: list.modelsRequested()
    }

    SelectionArea {
        id: area

        objectName: "selectionArea"
        anchors.fill: parent
        view: list
        timeline: list.timeline
        selection: list.chat.selection
        follower: follower
        color: Theme.selection
        caretColor: Theme.ink
    }
    Item {
        id: speaker  // Invisible: its accessible name tells screen readers where the caret is.

        objectName: "spokenCaret"
        Accessible.role: Accessible.AlertMessage
        Accessible.name: area.spokenCaret.text
        Accessible.ignored: area.spokenCaret.text === ""
        Component.onCompleted: area.spokenCaret.setSpeaker(speaker)
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        gesturePolicy: TapHandler.ReleaseWithinBounds
        onTapped: point => list.openMenuAt(point.scenePosition)
    }
    // Deferred until the list has processed the changes of its model.
    Timer {
        id: showing

        interval: 0
        onTriggered: list.showEditor()
    }
    Connections {
        target: list.chat.editor
        enabled: list.timeline === list.chat.timeline

        function onStarted(): void {
            showing.restart();
        }
    }
    TailFollower {
        id: follower

        view: list
        model: list.timeline
        textScale: Theme.textScale
        opensAtStart: list.opensAtStart
    }
    FindMarks {
        objectName: "findMarks"
        anchors.fill: parent
        z: 1
        view: list
        find: list.chat.find
        follower: follower
        hasCurrent: list.timeline === list.chat.timeline
        color: Theme.findMark
        currentColor: Theme.findCurrent
    }
    RevealMark {
        list: list
        chat: list.chat
        follower: follower
    }
}
