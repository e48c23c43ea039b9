import QtQuick
import Quire
import Quire.Models

/// Asks before a link of an answer is opened: a model may have made it up. Shows where the link leads, which its
/// text may hide, and suggests not to open it.
AskCard {
    id: dialog

    property string target: ""
    readonly property LinkOpener opener: LinkOpener { onOpened: dialog.close() }

    function ask(link: string): void {
        dialog.target = link;
        dialog.open();
    }

    title: qsTr("Open this link in your browser?")
    subject: dialog.opener.host(dialog.target)
    quote: dialog.opener.shown(dialog.target)
    words: qsTr("A model wrote this link; it may lead anywhere.")
    onAboutToShow: cancel.forceActiveFocus()

    ActionButton {
        text: qsTr("Open")
        onClicked: dialog.opener.open(dialog.target)
    }
    ActionButton {
        text: qsTr("Copy link")
        onClicked: dialog.opener.copy(dialog.target)
    }
    ActionButton {
        id: cancel

        primary: true
        text: qsTr("Cancel")
        focus: true
        onClicked: dialog.close()
    }
}
