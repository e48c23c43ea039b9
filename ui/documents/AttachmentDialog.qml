import QtQuick
import QtQuick.Dialogs

/// Asks for files to add to a message.
FileDialog {
    title: qsTr("Add files")
    fileMode: FileDialog.OpenFiles
    nameFilters: [qsTr("All files (*)"), qsTr("PDF (*.pdf)"), qsTr("Text, Markdown and tables (*.txt *.md *.csv)")]
}
