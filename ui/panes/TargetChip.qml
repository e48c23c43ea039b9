import QtQuick
import Quire
import Quire.Models

/// Chooses whether a message goes to the focused chat or to all panes.
Chip {
    id: chip

    required property ComposerModel model

    objectName: "targetChip"
    opensMenu: true
    active: chip.model.toAll
    text: chip.model.targetText
    hintText: qsTr("Choose which chats get your message (Ctrl+Shift+A)")
    onClicked: menu.popup(chip, Theme.mirrored ? chip.width - menu.width : 0, -menu.implicitHeight - 4)

    AppMenu {
        id: menu

        AppMenuItem {
            text: qsTr("To this chat")
            iconName: "panes-1"
            checked: !chip.model.toAll
            onTriggered: chip.model.toAll = false
        }
        AppMenuItem {
            text: chip.model.allTargetsText
            iconName: "panes-4"
            keyText: qsTr("Ctrl+Shift+A")
            checked: chip.model.toAll
            onTriggered: chip.model.toAll = true
        }
    }
}
