import QtQuick
import QtQuick.Controls.Basic
import Quire

/// The model's reasoning, folded: how long it took, and its last line while it streams.
BlockFrame {
    id: block

    required property int index
    required property string text
    required property string thoughtText
    required property bool isFirst
    required property bool isFolded
    required property bool isStreaming

    signal foldToggled(int row)

    indent: 0
    quoteDepth: 0
    gap: block.isFirst ? 6 : 10

    AbstractButton {
        id: button

        objectName: "thoughtButton"
        width: parent.width
        implicitHeight: 28
        hoverEnabled: true
        text: block.thoughtText
        Accessible.role: Accessible.Button
        Accessible.name: block.thoughtText
        Accessible.description: block.isFolded ? qsTr("Shows the model's reasoning") : qsTr("Hides the model's reasoning")
        Keys.onReturnPressed: button.clicked()
        Keys.onEnterPressed: button.clicked()
        onClicked: block.foldToggled(block.index)

        contentItem: Row {
            spacing: 6

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                iconName: block.isFolded ? "right" : "down"
                width: 14
                height: 14
                color: button.hovered ? Theme.ink : Theme.ink2
            }
            Caption {
                anchors.verticalCenter: parent.verticalCenter
                text: block.thoughtText
                color: button.hovered ? Theme.ink : Theme.ink2
                font.weight: Font.Medium
            }
            Caption {
                anchors.verticalCenter: parent.verticalCenter
                visible: block.isFolded && text !== ""
                width: Math.max(0, button.width - x - 8)
                leftPadding: 6
                text: block.text
                color: Theme.ink2
                font.pixelSize: Theme.small
                elide: Text.ElideRight
                Accessible.ignored: true
            }
        }
        background: Rectangle {
            x: -4
            width: parent.width + 8
            radius: Theme.rowRadius
            color: button.hovered ? Theme.hover : "transparent"

            FocusFrame { shown: button.visualFocus; radius: Theme.rowRadius + 2 }
        }
    }
}
