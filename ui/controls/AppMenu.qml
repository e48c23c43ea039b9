import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A menu in the style of the window.
Menu {
    id: menu

    /// Opens below an item, from where a text would begin in it.
    function openBelow(item: Item): void {
        menu.popup(item, Theme.mirrored ? item.width - menu.width : 0, item.height + 4);
    }

    /// Opens at the pointer, on the side where a text would go on.
    function openAtPointer(): void {
        menu.popup();
        if (Theme.mirrored)
            menu.x -= menu.width;
    }

    /// Hidden items count as well, so that the width does not depend on what is shown.
    function widestItem(): real {
        let width = 0;
        for (let i = 0; i < menu.count; ++i)
            width = Math.max(width, menu.itemAt(i).implicitWidth);
        return width;
    }

    padding: 6
    margins: 12
    implicitWidth: Math.max(240, Math.min(420, menu.widestItem() + menu.leftPadding + menu.rightPadding))
    delegate: AppMenuItem {}

    background: CardFrame {}
    enter: Transition {
        NumberAnimation { property: "opacity"; from: 0; to: 1; duration: Theme.motion }
    }
    closePolicy: fade.running ? Popup.NoAutoClose : Popup.CloseOnEscape | Popup.CloseOnPressOutside
    exit: Transition {
        id: fade

        NumberAnimation { property: "opacity"; to: 0; duration: Theme.motion }
    }
}
