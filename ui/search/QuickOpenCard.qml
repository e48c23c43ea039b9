pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The command palette: finds chats, messages and commands. The field is above the results, and the key hints are below.
ModalPopup {
    id: card

    required property QuickOpen quick

    x: Math.round((parent.width - width) / 2)
    y: Math.round(parent.height * 0.14)
    width: Math.min(640, parent.width - 40)
    height: Math.min(card.implicitContentHeight, parent.height * 0.68)
    visible: card.quick.isOpen
    onClosed: card.quick.close()

    contentItem: ColumnLayout {
        spacing: 0

        QuickOpenField {
            Layout.fillWidth: true
            quick: card.quick
        }
        Line { Layout.fillWidth: true }
        ScrollList {
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.preferredHeight: contentHeight + 16
            Layout.minimumHeight: 0
            visible: count > 0
            topMargin: 8
            bottomMargin: 8
            model: card.quick
            currentIndex: card.quick.currentRow
            highlightMoveDuration: 0
            cacheBuffer: 0  // Rows created ahead would cause warnings when the list shrinks.
            Accessible.name: qsTr("Results")

            delegate: QuickOpenRow {
                width: ListView.view?.width ?? 0
                quick: card.quick
            }
        }
        Caption {
            Layout.fillWidth: true
            Layout.margins: 24
            visible: text !== ""
            horizontalAlignment: Text.AlignHCenter
            text: card.quick.emptyText
            color: Theme.ink2
            wrapMode: Text.Wrap
        }
        Line { Layout.fillWidth: true }
        TinyText {
            Layout.fillWidth: true
            Layout.preferredHeight: 35
            leftPadding: 20
            rightPadding: 20
            verticalAlignment: Text.AlignVCenter
            text: card.quick.note !== "" ? card.quick.note : card.quick.isCommands ? qsTr("↑ ↓ select   ↵ run   Esc close")
                : qsTr("↑ ↓ select   ↵ open   Esc close   > commands")
        }
    }
}
