import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A menu in the style of the window.
Menu {
    id: menu

    padding: 6
    margins: 12
    implicitWidth: 240
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
