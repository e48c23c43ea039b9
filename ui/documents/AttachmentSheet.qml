pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import Quire
import Quire.Models

/// The text of an attached file, as the model reads it.
Popup {
    id: sheet

    required property AttachmentReader reader

    parent: Overlay.overlay
    x: parent ? parent.width - width : 0
    height: parent ? parent.height : 0
    width: parent ? Math.min(720, parent.width) : 0
    padding: 0
    modal: true
    focus: true
    visible: sheet.reader.isOpen
    onClosed: sheet.reader.close()
    Overlay.modal: Rectangle { color: Theme.scrim }
    background: Rectangle {
        color: Theme.background

        Rectangle { width: 1; height: parent.height; color: Theme.line }
    }

    contentItem: ColumnLayout {
        spacing: 0
        Accessible.role: Accessible.Dialog
        Accessible.name: sheet.reader.title

        RowLayout {
            Layout.fillWidth: true
            Layout.leftMargin: 24
            Layout.rightMargin: 16
            Layout.preferredHeight: 64
            spacing: 10

            Icon {
                Layout.preferredWidth: 20
                Layout.preferredHeight: 20
                iconName: "file"
                color: Theme.ink2
            }
            Column {
                Layout.fillWidth: true
                spacing: 2

                Caption {
                    width: parent.width
                    text: sheet.reader.title
                    elide: Text.ElideMiddle
                    font.pixelSize: Theme.large
                    font.weight: Font.DemiBold
                    Accessible.role: Accessible.Heading
                    Accessible.name: text
                }
                Caption {
                    width: parent.width
                    text: sheet.reader.detail
                    color: Theme.ink2
                    font.pixelSize: Theme.small
                }
            }
            IconButton {
                iconName: "copy"
                name: qsTr("Copy text")
                onClicked: sheet.reader.copy()
            }
            IconButton {
                iconName: "close"
                name: qsTr("Close")
                onClicked: sheet.close()
            }
        }
        Rectangle { Layout.fillWidth: true; Layout.preferredHeight: 1; color: Theme.line }
        AttachmentText {
            Layout.fillWidth: true
            Layout.fillHeight: true
            model: sheet.reader
            name: sheet.reader.title
        }
    }
}
