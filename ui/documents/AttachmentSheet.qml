import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The text of an attached file, as the model reads it.
SheetFrame {
    id: sheet

    required property AttachmentReader reader

    title: sheet.reader.title
    subtitle: sheet.reader.detail
    iconName: "file"
    maximumWidth: 720
    visible: sheet.reader.isOpen
    onClosed: sheet.reader.close()
    actions: IconButton {
        iconName: "copy"
        name: qsTr("Copy text")
        onClicked: sheet.reader.copy()
    }

    AttachmentText {
        Layout.fillWidth: true
        Layout.fillHeight: true
        model: sheet.reader
        name: sheet.reader.title
    }
}
