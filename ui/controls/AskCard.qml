pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Controls
import Quire

/// A modal question with its answers.
Popup {
    id: card

    required property string title
    required property string words
    property bool shown: false
    default property alias answers: row.data

    parent: Overlay.overlay
    anchors.centerIn: parent
    width: Math.min(480, parent.width - 40)
    padding: 20
    modal: true
    focus: true
    onShownChanged: card.shown ? card.open() : card.close()
    Component.onCompleted: card.shown ? card.open() : card.close()
    Overlay.modal: Rectangle { color: Theme.scrim }
    background: Rectangle {
        radius: Theme.cardRadius
        color: Theme.surface
        border.color: Theme.line
    }

    contentData: Column {
        width: card.availableWidth
        spacing: 12
        Accessible.role: Accessible.Dialog
        Accessible.name: card.title

        Caption {
            width: card.availableWidth
            text: card.title
            font.pixelSize: Theme.large
            font.weight: Font.DemiBold
            wrapMode: Text.Wrap
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Caption {
            width: card.availableWidth
            bottomPadding: 8
            text: card.words
            color: Theme.ink2
            wrapMode: Text.Wrap
            lineRatio: 1.5
        }
        Flow {
            id: row

            width: card.availableWidth
            layoutDirection: Qt.RightToLeft
            spacing: 8
        }
    }
}
