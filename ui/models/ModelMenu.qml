pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire
import Quire.Models

/// Chooses the model: loaded ones and recent ones, or those that match what is typed; those of other machines for this
/// chat; and a link to all.
AppMenu {
    id: picker

    required property ModelLibrary library
    required property ChatModel chat

    signal allWanted()

    function useHere(path: string): void {
        picker.library.use(path);
        picker.chat?.leaveRemote();
    }
    function useFirst(): void {
        if (picker.library.firstInPicker === "")
            return;
        picker.useHere(picker.library.firstInPicker);
        picker.close();
    }
    function takeLetters(text: string): bool {
        if (!field.visible || text.trim() === "" || text < " ")
            return false;
        picker.library.pickerSearch += text;
        field.forceActiveFocus(Qt.PopupFocusReason);
        return true;
    }

    implicitWidth: 400  // Not by its items: they change while its search is typed.
    onOpened: field.visible && field.forceActiveFocus(Qt.PopupFocusReason)
    onClosed: picker.library.pickerSearch = ""

    contentItem: ListView {
        implicitHeight: contentHeight
        model: picker.contentModel
        interactive: contentHeight > height
        clip: true
        currentIndex: picker.currentIndex
        // The pointer moves the focus to an item; letters still belong to the field.
        Keys.onPressed: event => event.accepted = picker.takeLetters(event.text)
    }

    SearchField {
        id: field

        objectName: "modelPickerSearch"
        visible: picker.library.canSearchPicker
        height: visible ? implicitHeight : 0
        name: qsTr("Search models")
        text: picker.library.pickerSearch
        onTextEdited: picker.library.pickerSearch = text
        onAccepted: picker.useFirst()
    }
    Instantiator {
        model: picker.library.recent
        delegate: AppMenuItem {
            required property ModelCard card

            text: card.name
            dotColor: card.isServing ? Theme.accent : Theme.line
            keyText: card.badge
            checked: card.isPrimary && !(picker.chat?.isRemote ?? false)
            onTriggered: picker.useHere(card.path)
        }
        onObjectAdded: (index, object) => picker.insertItem(1 + index, object)
        onObjectRemoved: (index, object) => picker.removeItem(object)
    }
    Instantiator {
        active: picker.chat !== null
        model: picker.library.remote.choices
        delegate: AppMenuItem {
            required property string path
            required property string name
            required property string place

            objectName: "remoteChoice"
            iconName: "remote"
            text: name
            keyText: place
            checked: picker.chat !== null && picker.chat.ownModelPath === path
            onTriggered: picker.chat.setOwnModel(path)
        }
        onObjectAdded: (index, object) => picker.insertItem(1 + picker.library.recent.count + index, object)
        onObjectRemoved: (index, object) => picker.removeItem(object)
    }
    AppMenuItem {
        objectName: "leaveRemote"
        visible: picker.chat !== null && picker.chat.isRemote
        height: visible ? implicitHeight : 0
        iconName: "model"
        text: qsTr("Answer on this computer again")
        onTriggered: picker.chat.leaveRemote()
    }
    AppMenuItem {
        objectName: "ownModel"
        visible: picker.chat !== null && !picker.chat.isRemote && picker.library.primaryPath !== ""
        height: visible ? implicitHeight : 0
        text: qsTr("Always use this model in this chat")
        checked: picker.chat !== null && picker.chat.hasOwnModel
        onTriggered: picker.chat.setOwnModel(picker.chat.hasOwnModel ? "" : picker.library.primaryPath)
    }
    AppMenuItem {
        objectName: "allModels"
        iconName: "model"
        text: qsTr("All models…")
        onTriggered: picker.allWanted()
    }
}
