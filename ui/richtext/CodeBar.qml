import QtQuick
import Quire

/// The header of a code block: language, number of lines, Wrap and Copy.
Item {
    id: bar

    required property string language
    required property string lineCount
    required property bool wrapped

    signal wrapToggled
    signal copyRequested

    Row {
        anchors.verticalCenter: parent.verticalCenter
        anchors.left: parent.left
        anchors.leftMargin: 14
        spacing: 10

        TinyText {
            visible: text !== ""
            width: Math.min(implicitWidth, 200)
            text: bar.language
            font.weight: Font.Medium
        }
        TinyText {
            visible: text !== ""
            text: bar.lineCount
        }
    }
    Row {
        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        anchors.rightMargin: 6

        FoldButton {
            objectName: "wrapButton"
            text: bar.wrapped ? qsTr("Don't wrap") : qsTr("Wrap")
            onClicked: bar.wrapToggled()
        }
        CopyButton {
            onClicked: bar.copyRequested()
        }
    }
}
