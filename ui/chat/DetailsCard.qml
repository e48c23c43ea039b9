pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// How an answer was made: its model, when, how fast, and from how many tokens.
ModalPopup {
    id: card

    required property AnswerDetails details
    readonly property bool shown: card.details.isOpen

    anchors.centerIn: parent
    width: Math.min(420, parent.width - 40)
    padding: 20
    onShownChanged: card.shown ? card.open() : card.close()
    onClosed: card.details.close()

    contentData: Column {
        objectName: "detailsCard"
        width: card.availableWidth
        spacing: 10
        Accessible.role: Accessible.Dialog
        Accessible.name: heading.text

        Heading {
            id: heading

            anchors.left: parent.left
            bottomPadding: 4
            text: qsTr("About this answer")
            font.pixelSize: Theme.large
        }
        Repeater {
            model: card.details

            Row {
                id: entry

                required property string label
                required property string value

                width: card.availableWidth
                spacing: 12
                Accessible.role: Accessible.StaticText
                Accessible.name: qsTr("%1: %2").arg(entry.label).arg(entry.value)

                Caption {
                    id: caption

                    width: Math.round(card.availableWidth * 0.4)
                    text: entry.label
                    color: Theme.ink2
                    wrapMode: Text.Wrap
                    Accessible.ignored: true
                }
                Caption {
                    width: card.availableWidth - caption.width - entry.spacing
                    text: entry.value
                    wrapMode: Text.Wrap
                    Accessible.ignored: true
                }
            }
        }
        ActionButton {
            anchors.right: parent.right
            focus: true
            text: qsTr("Close")
            onClicked: card.details.close()
        }
    }
}
