import QtQuick
import Quire
import Quire.Models

/// Asks before a link of an answer is opened: a model may have made it up.
AskCard {
    id: dialog

    readonly property LinkOpener opener: LinkOpener {}

    function ask(target: string): void {
        dialog.quote = target;
        dialog.open();
    }

    title: qsTr("Open this link in your browser?")
    words: qsTr("A model wrote this link; it may lead anywhere.")

    ActionButton {
        primary: true
        text: qsTr("Open")
        focus: true
        onClicked: dialog.opener.open(dialog.quote)
    }
    ActionButton {
        text: qsTr("Copy link")
        onClicked: dialog.opener.copy(dialog.quote)
    }
    ActionButton {
        text: qsTr("Cancel")
        onClicked: dialog.close()
    }
}
