pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire.Models

/// The file dialogs of export and import, loaded on first use.
Item {
    id: dialogs

    required property DataTransfer transfer
    property double chatId: 0
    property bool imports: false

    function askExport(chatId: double): void {
        dialogs.chatId = chatId;
        dialogs.imports = false;
        dialogs.ask();
    }
    function askImport(): void {
        dialogs.imports = true;
        dialogs.ask();
    }
    function ask(): void {
        if (dialogs.transfer.mayAsk())
            dialogs.show();
    }
    function show(): void {
        loader.active = true;
        (loader.object as TransferDialog).ask(dialogs.imports);
    }

    Connections {
        target: dialogs.transfer

        function onExportAsked(chatId: double): void {
            dialogs.askExport(chatId);
        }
        function onImportAsked(): void {
            dialogs.askImport();
        }
    }
    Instantiator {
        id: loader

        active: false

        TransferDialog {
            parentWindow: dialogs.Window.window  // Qt's own dialog is drawn in it.
            onExportChosen: file => dialogs.transfer.exportTo(dialogs.chatId, file)
            onImportChosen: file => dialogs.transfer.importFrom(file)
        }
    }
}
