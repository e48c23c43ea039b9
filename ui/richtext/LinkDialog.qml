import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Controls
import Quire
import Quire.Models

/// Asks before a link of an answer is opened: a model may have made it up.
Popup {
    id: dialog

    property string link: ""
    readonly property LinkOpener opener: LinkOpener {}

    function ask(target: string): void {
        dialog.link = target;
        dialog.open();
    }

    parent: Overlay.overlay
    anchors.centerIn: parent
    width: Math.min(440, parent.width - 40)
    padding: 20
    modal: true
    focus: true
    Overlay.modal: Rectangle { color: Theme.scrim }
    background: Rectangle {
        radius: Theme.cardRadius
        color: Theme.surface
        border.color: Theme.line
    }

    contentItem: Column {
        spacing: 12

        Caption {
            width: dialog.availableWidth
            text: qsTr("Open this link in your browser?")
            font.pixelSize: Theme.large
            font.weight: Font.DemiBold
        }
        Caption {
            width: dialog.availableWidth
            text: dialog.link
            font.family: Theme.mono
            font.pixelSize: Theme.small
            wrapMode: Text.WrapAnywhere
            maximumLineCount: 6
        }
        Caption {
            width: dialog.availableWidth
            text: qsTr("A model wrote this link; it may lead anywhere.")
            color: Theme.ink2
            font.pixelSize: Theme.small
            wrapMode: Text.Wrap
        }
        Row {
            anchors.right: parent.right
            spacing: 8

            ActionButton {
                text: qsTr("Cancel")
                onClicked: dialog.close()
            }
            ActionButton {
                text: qsTr("Copy link")
                onClicked: dialog.opener.copy(dialog.link)
            }
            ActionButton {
                primary: true
                text: qsTr("Open")
                focus: true
                onClicked: dialog.opener.open(dialog.link)
            }
        }
    }
}
