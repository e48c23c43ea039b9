import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Controls
import Quire

/// A card above the dimmed window. It fades in and out.
Popup {
    id: popup

    parent: Overlay.overlay
    padding: 0
    focus: true
    // A popup that fades out lets clicks through to the window.
    modal: !fade.running
    closePolicy: fade.running ? Popup.NoAutoClose : Popup.CloseOnEscape | Popup.CloseOnPressOutside
    Overlay.modal: Rectangle { color: Theme.scrim }
    background: CardFrame {}
    enter: Transition {
        NumberAnimation { property: "opacity"; from: 0; to: 1; duration: Theme.motion; easing.type: Easing.OutCubic }
    }
    exit: Transition {
        id: fade

        NumberAnimation { property: "opacity"; to: 0; duration: Theme.motion }
    }
}
