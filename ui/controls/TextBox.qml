import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A single-line text field with a frame. `committed` is emitted on Return or when it loses the focus.
TextField {
    id: box

    required property string name
    property string hint: ""
    property bool warns: false
    readonly property PlainPlaceholder plainHint: PlainPlaceholder { field: box }

    signal committed(string text)

    implicitHeight: 34
    leftPadding: 10
    rightPadding: 10
    topPadding: 0
    bottomPadding: 0
    verticalAlignment: TextInput.AlignVCenter
    horizontalAlignment: TextInput.AlignLeft
    color: Theme.ink
    placeholderText: box.hint
    placeholderTextColor: Theme.ink2
    selectionColor: Theme.selection
    selectedTextColor: Theme.ink
    selectByMouse: true
    font.family: Theme.sans
    font.pixelSize: Theme.label
    Accessible.name: box.name
    onEditingFinished: box.committed(box.text)

    background: Rectangle {
        radius: Theme.rowRadius
        color: Theme.surface
        border.width: box.activeFocus ? Theme.focusWidth : 1
        border.color: box.warns ? Theme.warning : box.activeFocus ? Theme.accent : Theme.line
    }
}
