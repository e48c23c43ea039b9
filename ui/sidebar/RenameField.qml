import QtQuick
import Quire

/// The field to rename a chat: Return commits; Escape and losing the focus cancel.
TextBox {
    id: field

    required property string title

    signal renamed(string title)
    signal done()

    function accept(): void {
        field.renamed(field.text);
        field.done();
    }

    leftPadding: 5
    rightPadding: 5
    topPadding: 3
    bottomPadding: 3
    implicitHeight: field.contentHeight + 6
    text: field.title
    name: qsTr("New chat name")
    maximumLength: 120
    onAccepted: field.accept()
    Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape
    Keys.onEscapePressed: field.done()
    onActiveFocusChanged: field.activeFocus || field.done()
    Component.onCompleted: field.forceActiveFocus()

    background: Rectangle {
        radius: 6
        color: Theme.background
        border.width: Theme.focusWidth
        border.color: Theme.accent
    }
    Timer {
        interval: 0
        running: true
        onTriggered: field.selectAll()
    }
}
