import QtQuick
import Quire
import Quire.Models

/// The icons in an answer's footer: copy and regenerate, which are used most, and the menu with everything else.
Row {
    id: actions

    required property MessageState message
    required property bool hasFailed
    required property bool warns

    signal menuRequested()

    spacing: 2

    CopyMessageButton {
        objectName: "copyAnswer"
        visible: !actions.hasFailed
        message: actions.message
        what: qsTr("Copy as Markdown")
    }
    MessageButton {
        objectName: "regenerateAnswer"
        visible: !actions.warns
        enabled: actions.message.chat.turns.canRegenerate
        iconName: "regenerate"
        name: qsTr("Regenerate (keeps this version)")
        onClicked: actions.message.chat.turns.regenerate(actions.message.messageId)
    }
    MessageButton {
        objectName: "moreActions"
        iconName: "more"
        name: qsTr("More actions")
        onClicked: actions.menuRequested()
    }
}
