import QtQuick

/// Scrolls the focused item into view. Where that goes away, the next one gets the focus.
Item {
    id: scroll

    required property Flickable view
    readonly property Item focused: scroll.Window.activeFocusItem
    readonly property bool isGone: scroll.focused !== null && !scroll.focused.visible && scroll.contains(scroll.focused)

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

    /// Not for a view that goes as a whole.
    function passOn(): void {
        if (scroll.isGone && scroll.visible)
            scroll.focused.nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason);
    }

    onFocusedChanged: scroll.reveal()
    onIsGoneChanged: passing.restart()

    // Deferred, because the next one may appear only now.
    Timer {
        id: passing

        interval: 0
        onTriggered: scroll.passOn()
    }
}
