import QtQuick
import Quire

/// "Jump to latest", in a strip of its own below a timeline that does not follow its end, so that it covers no text.
Item {
    id: strip

    required property Timeline timeline
    /// The height of the timeline without the strip; too little shows none.
    required property real room
    readonly property bool isWanted: strip.room > 220 && !strip.timeline.isFollowing
        && strip.timeline.contentHeight > strip.room
    property bool isShown: false

    objectName: "latestStrip"
    visible: strip.isShown
    height: strip.isShown ? 46 : 0
    onIsWantedChanged: change.restart()

    // Deferred, because the strip changes the height of the timeline, which may be changing just now.
    Timer {
        id: change

        interval: 0
        onTriggered: strip.isShown = strip.isWanted
    }
    PillButton {
        objectName: "latestButton"
        anchors.centerIn: parent
        filled: true
        iconName: "latest"
        text: qsTr("Jump to latest")
        onClicked: strip.timeline.showLatest()
    }
}
