pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The layout of the window: a menu with the number of panes.
BaseButton {
    id: button

    required property PaneListModel panes

    component LayoutItem: AppMenuItem {
        required property int count

        objectName: "panes" + count
        text: qsTr("%n pane(s)", "", count)
        iconName: "panes-" + count
        keyText: qsTr("Ctrl+%1").arg(count)
        checked: button.panes.count === count
        onTriggered: button.panes.count = count
    }

    objectName: "layoutButton"
    implicitWidth: 48
    implicitHeight: 28
    focusPolicy: Qt.TabFocus  // A click leaves the focus in the composer.
    Accessible.name: qsTr("Layout: %n pane(s)", "", button.panes.count)
    Accessible.role: Accessible.ButtonMenu
    onClicked: menu.popup(button, Theme.mirrored ? 0 : button.width - menu.width, button.height + 4)

    contentItem: Item {
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.leftMargin: 8
            size: 18
            iconName: "panes-" + Math.min(4, button.panes.count)
            color: button.hovered ? Theme.ink : Theme.ink2
        }
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.leftMargin: 30
            size: 12
            iconName: "down"
        }
    }
    Hint { over: button.hovered; held: button.pressed; text: qsTr("Layout") }
    AppMenu {
        id: menu

        LayoutItem { count: 1 }
        LayoutItem { count: 2 }
        LayoutItem { count: 3 }
        LayoutItem { count: 4 }
        AppMenuItem {
            objectName: "splitButton"
            enabled: button.panes.canSplit
            text: qsTr("Add pane")
            iconName: "split"
            keyText: qsTr("Ctrl+%1").arg("\\")
            onTriggered: button.panes.split()
        }
    }
}
