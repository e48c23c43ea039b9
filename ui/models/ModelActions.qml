import QtQuick
import Quire
import Quire.Models

/// The actions of a model, at the right of its card.
Row {
    id: actions

    required property ModelCard card
    required property ModelLibrary library
    required property bool isOpen

    signal opened()

    spacing: 6

    ActionButton {
        objectName: "useModel"
        visible: actions.card.canBeChosen
        text: qsTr("Use")
        hintText: qsTr("New messages go to this model")
        onClicked: actions.card.makePrimary()
    }
    ActionButton {
        objectName: "unloadModel"
        visible: actions.card.canUnload
        text: qsTr("Unload")
        hintText: qsTr("Frees its memory")
        onClicked: actions.card.unload()
    }
    ActionButton {
        objectName: "loadModel"
        visible: actions.card.canLoad || actions.card.canReload
        text: actions.card.loadText
        hintText: actions.card.memory.placeText
        onClicked: actions.library.load(actions.card.path)
    }
    ActionButton {
        objectName: "tryAgain"
        visible: actions.card.isQuarantined
        text: qsTr("Try again")
        hintText: qsTr("Reads the file once more")
        onClicked: actions.library.tryAgain(actions.card.path)
    }
    IconButton {
        visible: actions.card.hasOptions
        objectName: "modelOptions"
        width: 32
        height: 32
        iconName: "settings"
        name: actions.isOpen ? qsTr("Close options") : qsTr("Options: context, device, memory")
        onClicked: actions.opened()
    }
    IconButton {
        id: more

        objectName: "modelMore"
        width: 32
        height: 32
        iconName: "more"
        name: qsTr("More actions for %1").arg(actions.card.name)
        onClicked: menu.openBelow(more)

        AppMenu {
            id: menu

            AppMenuItem {
                iconName: "folder"
                text: qsTr("Show in file manager")
                onTriggered: actions.card.showInFileManager()
            }
            AppMenuItem {
                iconName: "copy"
                text: qsTr("Copy path")
                onTriggered: actions.card.copyPath()
            }
            AppMenuItem {
                objectName: "quantizeModel"
                visible: actions.library.quantizer.isAvailable
                height: visible ? implicitHeight : 0
                enabled: actions.card.canBeQuantized
                iconName: "model"
                text: qsTr("Quantise…")
                onTriggered: actions.library.quantizer.open(actions.card)
            }
            AppMenuItem {
                objectName: "renameModel"
                iconName: "edit"
                text: qsTr("Rename…")
                onTriggered: actions.library.files.askName(actions.card)
            }
            AppMenuItem {
                objectName: "moveModel"
                visible: !actions.card.isDemonstration
                height: visible ? implicitHeight : 0
                iconName: "folder"
                text: qsTr("Move to another folder…")
                onTriggered: actions.library.files.mover.open(actions.card)
            }
            AppMenuItem {
                objectName: "verifyModel"
                iconName: "check"
                text: qsTr("Verify files")
                onTriggered: actions.library.files.verifier.verify(actions.card)
            }
            AppMenuItem {
                objectName: "deleteModel"
                visible: !actions.card.isDemonstration
                height: visible ? implicitHeight : 0
                iconName: "trash"
                text: qsTr("Delete from disk…")
                onTriggered: actions.library.files.removal.open(actions.card)
            }
            AppMenuItem {
                enabled: actions.card.canBeHidden
                iconName: "close"
                text: qsTr("Remove from list")
                onTriggered: actions.library.hide(actions.card.path)
            }
        }
    }
}
