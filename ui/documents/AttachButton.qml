pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import QtQuick.Dialogs
import Quire
import Quire.Models

/// Adds files to the message; its dialog is created on first use.
IconButton {
    id: button

    required property ComposerModel model

    function ask(): void {
        loader.active = true;
        (loader.object as FileDialog).open();
    }

    objectName: "attachButton"
    enabled: button.model.files !== null
    iconName: "attach"
    iconSize: 18
    focusPolicy: Qt.TabFocus
    name: qsTr("Add files")
    hintText: qsTr("Add text, code, CSV or PDF files; they can also be dropped or pasted here")
    onClicked: button.model.files.mayAsk() && button.ask()

    Instantiator {
        id: loader

        active: false

        FileDialog {
            title: qsTr("Add files")
            parentWindow: button.Window.window  // Qt's own dialog, the fallback, is shown inside it.
            fileMode: FileDialog.OpenFiles
            nameFilters: [qsTr("All files (*)"), qsTr("PDF (*.pdf)"), qsTr("Text, Markdown and tables (*.txt *.md *.csv)")]
            onAccepted: button.model.files.add(selectedFiles)
        }
    }
}
