import QtQuick
import Quire
import Quire.Models

/// The icons in an answer's footer: copy and regenerate, which are used most, and the menu with everything else.
Row {
    id: actions

    required property ChatModel chat
    required property double messageId
    required property bool hasFailed
    required property bool warns

    signal menuRequested()

    spacing: 2

    CopyMessageButton {
        objectName: "copyAnswer"
        visible: !actions.hasFailed
        chat: actions.chat
        messageId: actions.messageId
        what: qsTr("Copy as Markdown")
    }
    MessageButton {
        objectName: "regenerateAnswer"
        visible: !actions.warns
        enabled: actions.chat.turns.canRegenerate
        iconName: "regenerate"
        name: qsTr("Regenerate (keeps this version)")
        onClicked: actions.chat.turns.regenerate(actions.messageId)
    }
    MessageButton {
        objectName: "moreActions"
        iconName: "more"
        name: qsTr("More actions")
        onClicked: actions.menuRequested()
    }
}
