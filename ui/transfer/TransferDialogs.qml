pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire.Models

/// The file dialogs of export and import, loaded on first use.
Item {
    id: dialogs

    required property DataTransfer transfer
    property double chatId: 0

    function ask(imports: bool): void {
        if (!dialogs.transfer.mayAsk())
            return;
        loader.active = true;
        (loader.object as TransferDialog).ask(imports);
    }

    Connections {
        target: dialogs.transfer

        function onExportAsked(chatId: double): void {
            dialogs.chatId = chatId;
            dialogs.ask(false);
        }
        function onImportAsked(): void {
            dialogs.ask(true);
        }
    }
    Instantiator {
        id: loader

        active: false

        TransferDialog {
            parentWindow: dialogs.Window.window  // Qt's own dialog, the fallback, is shown inside it.
            onExportChosen: file => dialogs.transfer.exportTo(dialogs.chatId, file)
            onImportChosen: file => dialogs.transfer.importFrom(file)
        }
    }
}
