import QtQuick
import Quire
import Quire.Models

/// The search field; the arrow keys move through the results.
TextBox {
    id: field

    required property QuickOpen quick

    objectName: "quickOpenField"
    implicitHeight: 52
    leftPadding: Theme.mirrored ? 20 : 48
    rightPadding: Theme.mirrored ? 48 : 20
    focus: true
    name: qsTr("Search chats and messages, or type > for commands")
    hint: field.name
    text: field.quick.query
    font.pixelSize: Theme.large
    maximumLength: 300
    background: null
    onTextEdited: field.quick.query = field.text
    onAccepted: field.quick.activate(field.quick.currentRow)
    Keys.onUpPressed: field.quick.move(-1)
    Keys.onDownPressed: field.quick.move(1)
    Keys.onEscapePressed: field.quick.close()
    Keys.onTabPressed: field.quick.move(1)
    Keys.onBacktabPressed: field.quick.move(-1)

    Icon {
        anchors.verticalCenter: parent.verticalCenter
        anchors.left: parent.left
        anchors.leftMargin: 18
        size: 18
        iconName: field.quick.isCommands ? "keyboard" : "search"
    }
}
