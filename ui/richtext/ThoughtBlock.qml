import QtQuick
import Quire

/// The model's reasoning, folded: how long it took, and its last line while it streams.
BlockFrame {
    id: block

    required property string text
    required property string thoughtText
    required property bool isFolded

    indent: 0
    quoteDepth: 0
    isThought: false
    gap: block.isFirst ? 6 : 10

    BaseButton {
        id: button

        property real summaryWidth: 0  ///< Told by the summary: an id within the content would create it at once.

        objectName: "thoughtButton"
        width: parent.width
        implicitHeight: 28
        leftInset: -4
        rightInset: -4
        text: block.thoughtText
        Accessible.description: block.isFolded ? qsTr("Shows the model's reasoning") : qsTr("Hides the model's reasoning")
        Keys.onReturnPressed: button.clicked()
        Keys.onEnterPressed: button.clicked()
        onClicked: block.foldToggled(block.index)

        contentItem: Row {
            spacing: 6

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                iconName: block.isFolded ? "right" : "down"
                size: 14
                color: button.hovered ? Theme.ink : Theme.ink2
            }
            Caption {
                anchors.verticalCenter: parent.verticalCenter
                onWidthChanged: button.summaryWidth = width
                text: block.thoughtText
                color: button.hovered ? Theme.ink : Theme.ink2
                font.weight: Font.Medium
            }
            SmallText {
                anchors.verticalCenter: parent.verticalCenter
                visible: block.isFolded && text !== ""
                width: Math.max(0, button.width - 14 - button.summaryWidth - 2 * 6 - 8)
                leftPadding: Theme.mirrored ? 0 : 6
                rightPadding: Theme.mirrored ? 6 : 0
                text: block.text
                elide: Text.ElideRight
                Accessible.ignored: true
            }
        }
    }
}
