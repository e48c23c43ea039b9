import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A field that filters a list while typing; Escape clears it.
TextField {
    id: field

    required property string name

    implicitHeight: 36
    leftPadding: 34
    rightPadding: 12
    placeholderText: field.name
    placeholderTextColor: Theme.ink2
    color: Theme.ink
    selectionColor: Theme.selection
    selectedTextColor: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.label
    maximumLength: 200
    Accessible.name: field.name
    Keys.onEscapePressed: event => {
        event.accepted = field.text !== "";
        field.clear();
        field.textEdited();
    }

    background: Rectangle {
        radius: Theme.rowRadius
        color: Theme.surface
        border.color: field.activeFocus ? Theme.accent : Theme.line
    }
    Icon {
        anchors.verticalCenter: parent.verticalCenter
        x: 10
        width: 16
        height: 16
        iconName: "search"
    }
}
