import QtQuick
import Quire

/// A setting: label and help at the left, the control at the right; below, its default with Reset while it is
/// changed, and the error of an invalid value.
Item {
    id: row

    required property string label
    property string help: ""
    property string defaultText: ""
    property string problem: ""
    property bool changed: false
    default property alias control: slot.data

    signal resetRequested()

    width: parent ? parent.width : 0
    implicitHeight: Math.max(words.implicitHeight, slot.height + 4)

    Column {
        id: words

        width: row.width - slot.width - 24
        spacing: 3

        Row {
            spacing: 8

            Caption {
                text: row.label
                font.weight: Font.DemiBold
            }
            Rectangle {
                visible: row.changed
                anchors.verticalCenter: parent.verticalCenter
                width: 6
                height: 6
                radius: 3
                color: Theme.accent
            }
        }
        SmallText {
            visible: text !== ""
            width: parent.width
            text: row.help
            wrapMode: Text.Wrap
            lineRatio: 1.55
        }
        Row {
            visible: row.defaultText !== "" || row.changed
            spacing: 10

            SmallText {
                width: Math.min(implicitWidth, words.width - (reset.visible ? reset.width + 10 : 0))
                text: row.defaultText
            }
            TextLink {
                id: reset

                visible: row.changed
                text: qsTr("Reset")
                name: qsTr("Reset %1").arg(row.label)
                onClicked: row.resetRequested()
            }
        }
        Caption {
            visible: text !== ""
            width: parent.width
            text: row.problem
            color: Theme.warning
            font.pixelSize: Theme.small
            wrapMode: Text.Wrap
            lineRatio: 1.55
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
    }
    Row {
        id: slot

        anchors.right: parent.right
        spacing: 12
    }
}
