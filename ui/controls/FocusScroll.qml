import QtQuick

/// Scrolls the focused item into view.
Item {
    id: scroll

    required property Flickable view
    readonly property Item focused: scroll.Window.activeFocusItem

    function contains(item: Item): bool {
        while (item && item !== scroll.view.contentItem)
            item = item.parent;
        return item !== null;
    }
    function reveal(): void {
        if (!scroll.focused || !scroll.contains(scroll.focused))
            return;
        const top = scroll.focused.mapToItem(scroll.view.contentItem, 0, 0).y - 24;
        const bottom = top + scroll.focused.height + 48;
        const least = Math.max(0, Math.min(top, bottom - scroll.view.height));
        const most = Math.max(0, Math.min(top, scroll.view.contentHeight - scroll.view.height));
        scroll.view.contentY = Math.min(Math.max(scroll.view.contentY, least), Math.max(least, most));
    }

    onFocusedChanged: scroll.reveal()
}
