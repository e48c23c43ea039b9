import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// "Find in this chat": the query, the number of the current match, and buttons to move. Return and Shift+Return move;
/// Escape closes.
CardFrame {
    id: bar

    required property ChatFind find

    signal opening
    signal dismissed

    function dismiss(): void {
        bar.find.close();
        bar.dismissed();
    }

    objectName: "findBar"
    visible: bar.find.isOpen
    implicitHeight: 44
    Accessible.role: Accessible.ToolBar
    Accessible.name: qsTr("Find in this chat")

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: 6
        anchors.rightMargin: 6
        spacing: 2

        TextBox {
            id: field

            objectName: "findField"
            Layout.fillWidth: true
            implicitHeight: 32
            leftPadding: Theme.mirrored ? count.width + 18 : 32
            rightPadding: Theme.mirrored ? 32 : count.width + 18
            name: qsTr("Find in this chat")
            hint: field.name
            text: bar.find.query
            maximumLength: 200
            warns: bar.find.isMissing
            onTextEdited: bar.find.query = field.text
            Keys.onReturnPressed: event => bar.find.move(event.modifiers & Qt.ShiftModifier ? -1 : 1)
            Keys.onEnterPressed: event => bar.find.move(event.modifiers & Qt.ShiftModifier ? -1 : 1)
            Keys.onDownPressed: bar.find.move(1)
            Keys.onUpPressed: bar.find.move(-1)
            Keys.onEscapePressed: bar.dismiss()

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                anchors.left: parent.left
                anchors.leftMargin: 9
                size: 16
                iconName: "search"
            }
            TinyText {
                id: count

                objectName: "findCount"
                anchors.right: parent.right
                anchors.rightMargin: 10
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, 0.5 * field.width)
                text: bar.find.countText
                color: bar.find.isMissing ? Theme.warning : Theme.ink2
                Accessible.role: Accessible.AlertMessage
                Accessible.name: text
            }
        }
        IconButton {
            objectName: "findPrevious"
            enabled: bar.find.hasMatches
            focusPolicy: Qt.TabFocus
            iconName: "up"
            name: qsTr("Previous match (Shift+Enter)")
            onClicked: bar.find.move(-1)
        }
        IconButton {
            objectName: "findNext"
            enabled: bar.find.hasMatches
            focusPolicy: Qt.TabFocus
            iconName: "down"
            name: qsTr("Next match (Enter)")
            onClicked: bar.find.move(1)
        }
        IconButton {
            objectName: "findClose"
            focusPolicy: Qt.TabFocus
            iconName: "close"
            name: qsTr("Close (Esc)")
            onClicked: bar.dismiss()
        }
    }
    Connections {
        target: bar.find

        function onOpenChanged(): void {
            bar.find.isOpen && bar.opening();
        }
        function onFocusWanted(): void {
            field.forceActiveFocus();
            field.selectAll();
        }
    }
}
