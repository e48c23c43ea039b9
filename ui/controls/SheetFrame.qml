import QtQuick
import QtQuick.Layouts
import Quire

/// A sheet at the edge of the window where lines end: icon, title, actions and Close above its content.
ModalPopup {
    id: sheet

    required property string title
    property string subtitle: ""
    property string iconName: ""
    property color iconColor: Theme.ink2
    property real maximumWidth: 560
    property alias actions: actionRow.data
    default property alias content: body.data

    x: parent && !Theme.mirrored ? parent.width - width : 0
    height: parent ? parent.height : 0
    width: parent ? Math.min(sheet.maximumWidth, parent.width) : 0
    background: Rectangle {
        color: Theme.background

        Line { anchors.left: parent.left; height: parent.height }
    }

    contentData: ColumnLayout {
        anchors.fill: parent
        spacing: 0
        Accessible.role: Accessible.Dialog
        Accessible.name: sheet.title

        RowLayout {
            Layout.fillWidth: true
            Layout.leftMargin: 24
            Layout.rightMargin: 16
            Layout.preferredHeight: 64
            spacing: 10

            Icon {
                iconName: sheet.iconName
                color: sheet.iconColor
            }
            Column {
                Layout.fillWidth: true
                spacing: 2

                Heading {
                    width: parent.width
                    text: sheet.title
                    font.pixelSize: Theme.large
                    elide: sheet.subtitle === "" ? Text.ElideRight : Text.ElideMiddle
                }
                SmallText {
                    visible: text !== ""
                    width: parent.width
                    text: sheet.subtitle
                }
            }
            Row {
                id: actionRow

                visible: children.length > 0
            }
            IconButton {
                iconName: "close"
                name: qsTr("Close")
                onClicked: sheet.close()
            }
        }
        Line { Layout.fillWidth: true }
        ColumnLayout {
            id: body

            spacing: 0
        }
    }
}
