pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import QtQuick.Dialogs
import Quire
import Quire.Models

/// The LoRA adapter of a persona: its name, Choose and Remove. The dialog is created on first use.
SettingRow {
    id: row

    required property PersonaEditor editor

    function ask(): void {
        loader.active = true;
        (loader.object as FileDialog).open();
    }

    label: qsTr("Adapter")
    help: row.editor.adapterName !== "" ? row.editor.adapterName
        : qsTr("A LoRA adapter of the model: a GGUF file, or a folder with adapter_config.json.")
    problem: row.editor.adapterProblem

    ActionButton {
        objectName: "adapterRemove"
        visible: row.editor.adapterName !== ""
        text: qsTr("Remove")
        onClicked: row.editor.removeAdapter()
    }
    ActionButton {
        objectName: "adapterChoose"
        text: qsTr("Choose…")
        onClicked: row.ask()
    }
    Instantiator {
        id: loader

        active: false

        FileDialog {
            title: qsTr("Choose an adapter")
            parentWindow: row.Window.window  // Qt's own dialog, the fallback, is shown inside it.
            fileMode: FileDialog.OpenFile
            nameFilters: [qsTr("LoRA adapters (*.gguf adapter_config.json adapter_model.safetensors)"), qsTr("All files (*)")]
            onAccepted: row.editor.setAdapterFile(selectedFile)
        }
    }
}
