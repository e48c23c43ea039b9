import QtQuick
import QtQuick.Dialogs

/// Asks where to write an export, or which file to import.
FileDialog {
    id: dialog

    signal exportChosen(url file)
    signal importChosen(url file)

    function ask(imports: bool): void {
        dialog.fileMode = imports ? FileDialog.OpenFile : FileDialog.SaveFile;
        dialog.nameFilters = imports ? [qsTr("Quire exports (*.json *.md)"), qsTr("All files (*)")]
            : [qsTr("JSON, can be imported (*.json)"), qsTr("Markdown, for reading (*.md)")];
        dialog.open();
    }

    title: dialog.fileMode === FileDialog.OpenFile ? qsTr("Import chats") : qsTr("Export")
    acceptLabel: dialog.title
    defaultSuffix: "json"
    onAccepted: dialog.fileMode === FileDialog.OpenFile ? dialog.importChosen(dialog.selectedFile)
        : dialog.exportChosen(dialog.selectedFile)
}
