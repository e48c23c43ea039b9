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
        x: 14
        spacing: 10

        Caption {
            visible: text !== ""
            width: Math.min(implicitWidth, 200)
            text: bar.language
            color: Theme.ink2
            font.pixelSize: Theme.tiny
            font.weight: Font.Medium
        }
        Caption {
            visible: text !== ""
            text: bar.lineCount
            color: Theme.ink2
            font.pixelSize: Theme.tiny
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
