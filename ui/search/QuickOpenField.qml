import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// The search field; the arrow keys move through the results.
TextField {
    id: field

    required property QuickOpen quick

    objectName: "quickOpenField"
    implicitHeight: 52
    leftPadding: 48
    rightPadding: 20
    focus: true
    text: field.quick.query
    placeholderText: qsTr("Search chats and messages, or type > for commands")
    placeholderTextColor: Theme.ink2
    color: Theme.ink
    selectionColor: Theme.selection
    selectedTextColor: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.large
    maximumLength: 300
    background: null
    Accessible.name: qsTr("Search chats and messages, or type > for commands")
    onTextEdited: field.quick.query = field.text
    onAccepted: field.quick.activate(field.quick.currentRow)
    Keys.onUpPressed: field.quick.move(-1)
    Keys.onDownPressed: field.quick.move(1)
    Keys.onEscapePressed: field.quick.close()
    Keys.onTabPressed: field.quick.move(1)
    Keys.onBacktabPressed: field.quick.move(-1)

    Icon {
        anchors.verticalCenter: parent.verticalCenter
        x: 18
        width: 18
        height: 18
        iconName: field.quick.isCommands ? "keyboard" : "search"
    }
}
