import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The user's data could not be opened: what happened, where, and what can be done.
Rectangle {
    id: page

    required property AppModel app

    color: Theme.background

    ColumnLayout {
        anchors.centerIn: parent
        width: Math.min(Theme.columnWidth, page.width - 2 * Theme.margin)
        spacing: 0

        Icon {
            Layout.preferredWidth: 28
            Layout.preferredHeight: 28
            iconName: "warning"
            color: Theme.warning
        }
        Caption {
            Layout.topMargin: 12
            Layout.fillWidth: true
            text: qsTr("Your chats could not be opened")
            font.pixelSize: Theme.display
            font.weight: Font.DemiBold
            wrapMode: Text.Wrap
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Caption {
            Layout.topMargin: 12
            Layout.fillWidth: true
            text: page.app.storeError
            font.pixelSize: Theme.text
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            lineHeight: 1.5
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        Caption {
            Layout.topMargin: 16
            Layout.fillWidth: true
            text: qsTr("Nothing was changed. Quire keeps nothing anywhere else, so it waits rather than begin without your chats.")
            color: Theme.ink2
            font.pixelSize: Theme.label
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            lineHeight: 1.45
        }
        Row {
            Layout.topMargin: 24
            spacing: 8

            ActionButton {
                primary: true
                focus: true
                text: qsTr("Try again")
                onClicked: page.app.open()
            }
            ActionButton {
                text: qsTr("Quit")
                onClicked: Qt.quit()
            }
        }
    }
}
