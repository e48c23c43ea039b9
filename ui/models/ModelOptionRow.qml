import QtQuick
import QtQuick.Layouts
import Quire

/// A load option: name, help, control, default, and Reset.
RowLayout {
    id: row

    required property string title
    required property string defaultText
    property string help: ""
    property bool isSet: false
    default property alias control: place.data

    signal reset()

    width: parent ? parent.width : 0
    spacing: 16

    Column {
        Layout.preferredWidth: Math.min(170, row.width * 0.32)
        Layout.alignment: Qt.AlignVCenter
        spacing: 2

        Caption {
            width: parent.width
            text: row.title
            font.weight: Font.Medium
        }
        TinyText {
            visible: text !== ""
            width: parent.width
            text: row.help
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            maximumLineCount: 4
        }
    }
    RowLayout {
        id: place

        Layout.fillWidth: true
        spacing: 12
    }
    Item {
        visible: row.isSet || row.width > 520
        Layout.preferredWidth: row.width > 520 ? 190 : 80
        Layout.preferredHeight: 28

        SmallText {
            anchors.verticalCenter: parent.verticalCenter
            width: parent.width
            visible: !row.isSet
            text: qsTr("Default: %1").arg(row.defaultText)
        }
        TextLink {
            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            visible: row.isSet
            text: qsTr("Reset to %1").arg(row.defaultText)
            width: Math.min(implicitWidth, parent.width)
            onClicked: row.reset()
        }
    }
}
