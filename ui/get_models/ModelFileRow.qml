import QtQuick
import QtQuick.Layouts
import Quire

/// A file, a set of files or a folder of a model: its size, where it fits, and Download, or why it cannot be downloaded.
CardFrame {
    id: row

    required property string label
    required property string sizeText
    required property string facts
    required property bool isUsual
    required property bool isTooLarge
    required property bool canGet
    required property bool canLoad
    required property string getText
    required property string problem

    signal getWanted()

    implicitHeight: line.implicitHeight + 20
    border.color: row.isUsual ? Theme.accent : Theme.line
    Accessible.role: Accessible.Grouping
    Accessible.name: row.label

    RowLayout {
        id: line

        x: 14
        anchors.verticalCenter: parent.verticalCenter
        width: parent.width - 26
        spacing: 12

        Column {
            Layout.fillWidth: true
            spacing: 4

            RowLayout {
                width: parent.width
                spacing: 8

                Caption {
                    Layout.maximumWidth: parent.width - size.implicitWidth - badge.implicitWidth - 16
                    text: row.label
                    font.weight: Font.DemiBold
                    elide: Text.ElideMiddle
                }
                SmallText {
                    id: size

                    text: row.sizeText
                }
                ModelBadge {
                    id: badge

                    text: row.isUsual ? qsTr("Good choice") : ""
                    live: true
                }
                Item { Layout.fillWidth: true }
            }
            SmallText {
                visible: text !== ""
                width: parent.width
                text: row.facts
                color: row.isTooLarge ? Theme.warning : Theme.ink2
            }
            Sentence {
                objectName: "fileProblem"
                width: parent.width
                text: row.problem
                warns: true
            }
        }
        ActionButton {
            objectName: "getModel"
            primary: row.isUsual && row.canGet
            enabled: row.canGet || row.canLoad
            text: row.getText
            Accessible.name: row.canGet ? qsTr("Download %1, %2").arg(row.label).arg(row.sizeText) : row.getText
            onClicked: row.getWanted()
        }
    }
}
