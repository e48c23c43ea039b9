pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The text of a file in pieces, of which only the visible ones are created.
ScrollList {
    id: list

    required property string name

    objectName: "attachmentText"
    topMargin: 16
    bottomMargin: 24
    activeFocusOnTab: true
    Accessible.name: qsTr("Text of %1").arg(list.name)
    Keys.onDownPressed: list.contentY = Math.min(list.contentY + 60, Math.max(list.originY, list.originY + list.contentHeight - list.height))
    Keys.onUpPressed: list.contentY = Math.max(list.contentY - 60, list.originY - list.topMargin)

    delegate: Item {
        id: piece

        required property string text
        required property bool isTable

        width: list.width
        height: words.height + (piece.isTable ? 72 : 0)

        Rectangle {
            visible: piece.isTable
            x: 24
            width: parent.width - 48
            height: words.height + 24
            radius: Theme.rowRadius
            color: Theme.code
            border.color: Theme.line
        }
        SmallText {
            visible: piece.isTable
            anchors.left: parent.left
            anchors.leftMargin: 24
            y: words.height + 42
            text: qsTr("As the model reads it")
            font.weight: Font.DemiBold
        }
        SelectableText {
            id: words

            readonly property ParagraphDirection direction: ParagraphDirection { field: piece.isTable ? null : words }

            x: piece.isTable ? 36 : 24
            y: piece.isTable ? 12 : 0
            width: parent.width - 2 * x
            clip: piece.isTable
            LayoutMirroring.enabled: Theme.mirrored && !piece.isTable
            horizontalAlignment: piece.isTable ? TextEdit.AlignLeft : undefined
            text: piece.isTable ? "" : piece.text
            wrapMode: piece.isTable ? TextEdit.NoWrap : TextEdit.Wrap
            font.family: Theme.mono
            font.pixelSize: Theme.label
            Accessible.name: piece.text

            CodeText {
                document: piece.isTable ? words.textDocument : null
                code: piece.isTable ? piece.text : ""
                language: "csv"
            }
        }
    }
}
