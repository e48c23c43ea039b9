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
    required property bool isSuggested
    required property bool isTooLarge
    required property bool canAct
    required property string actText
    required property string actName
    required property string problem

    property bool isPrimary: false  ///< Its button may be the sheet's primary one.

    signal getWanted()

    implicitHeight: line.implicitHeight + 20
    border.color: row.isUsual ? Theme.accent : Theme.line
    Accessible.role: Accessible.Grouping
    Accessible.name: row.label
    Accessible.description: row.facts

    RowLayout {
        id: line

        anchors.left: parent.left
        anchors.leftMargin: 14
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
                wrapMode: Text.Wrap
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
            primary: row.isPrimary && row.isSuggested
            enabled: row.canAct
            text: row.actText
            Accessible.name: row.actName
            onClicked: row.getWanted()
        }
    }
}
