pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Adds files to the message; its dialog is made when it is first wanted.
IconButton {
    id: button

    required property ComposerModel model

    function ask(): void {
        loader.active = true;
        (loader.item as AttachmentDialog).open();
    }

    objectName: "attachButton"
    enabled: button.model.files !== null
    iconName: "attach"
    iconSize: 18
    name: qsTr("Add files")
    hintText: qsTr("Add text, code, CSV or PDF files; they can also be dropped or pasted here")
    onClicked: button.model.files.mayAsk() && button.ask()

    Loader {
        id: loader

        active: false
        sourceComponent: Component {
            AttachmentDialog { onAccepted: button.model.files.add(selectedFiles) }
        }
    }
}
