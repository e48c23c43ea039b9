import QtQuick
import Quire
import Quire.Models

/// A setting: label and help at the left, the control at the right; below, its default with Reset while it is
/// changed, and the error of an invalid value. With a search it is shown where that shows it, and while it is changed.
Item {
    id: row

    required property string label
    property string help: ""
    property string defaultText: ""
    property string problem: ""
    property bool changed: false
    property SettingsSearch search: null
    property string setting: ""  ///< CatalogEntry.id
    property bool folded: false
    property bool possible: true  ///< It has a meaning now.
    default property alias control: slot.data

    signal resetRequested()

    visible: rowState.isShown
    width: parent ? parent.width : 0
    implicitHeight: Math.max(words.implicitHeight, slot.height + 4)

    SettingState {
        id: rowState

        search: row.search
        setting: row.setting
        isPossible: row.possible
        isFolded: row.folded
        isChanged: row.changed
        problem: row.problem
        defaultText: row.defaultText
    }
    Column {
        id: words

        anchors.left: parent.left
        width: row.width - slot.width - 24
        spacing: 3

        Row {
            width: parent.width
            spacing: 8

            TextMetrics {
                id: natural  // Not implicitWidth, which depends on the width where text wraps.

                font: label.font
                text: row.label
            }
            Caption {
                id: label

                width: Math.min(Math.ceil(natural.advanceWidth) + 1, words.width - 14)
                text: row.label
                font.weight: Font.DemiBold
                wrapMode: Text.Wrap
            }
            Rectangle {
                visible: row.changed
                anchors.verticalCenter: parent.verticalCenter
                width: 6
                height: 6
                radius: 3
                color: Theme.accent
                Accessible.ignored: true
            }
        }
        SmallText {
            visible: text !== ""
            width: parent.width
            text: row.help
            wrapMode: Text.Wrap
            lineRatio: 1.55
        }
        Flow {
            visible: rowState.canReset
            width: parent.width
            spacing: 10

            SmallText {
                visible: text !== ""
                width: Math.min(implicitWidth, words.width)
                text: row.defaultText
                wrapMode: Text.Wrap
            }
            TextLink {
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
