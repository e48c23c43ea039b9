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
    // While it fades it is out of the way already: what is pressed then is meant for the window.
    modal: !fade.running
    closePolicy: fade.running ? Popup.NoAutoClose : Popup.CloseOnEscape | Popup.CloseOnPressOutside
    Overlay.modal: Rectangle { color: Theme.scrim }
    background: Rectangle {
        radius: Theme.cardRadius
        color: Theme.surface
        border.color: Theme.line
    }
    enter: Transition {
        NumberAnimation { property: "opacity"; from: 0; to: 1; duration: Theme.motion; easing.type: Easing.OutCubic }
    }
    exit: Transition {
        id: fade

        NumberAnimation { property: "opacity"; to: 0; duration: Theme.motion }
    }
}
