import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The result of a dropped file or of the first load, until it is dismissed.
Rectangle {
    id: notice

    required property ModelLibrary library

    visible: notice.library.notice !== ""
    implicitHeight: Math.max(44, words.implicitHeight + 24)
    radius: Theme.cardRadius
    color: Theme.bubble
    Accessible.role: Accessible.AlertMessage
    Accessible.name: notice.library.notice

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: 16
        anchors.rightMargin: 8
        spacing: 12

        Caption {
            id: words

            Layout.fillWidth: true
            text: notice.library.notice
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            lineRatio: 1.6
        }
        ActionButton {
            visible: notice.library.noticeAction !== ""
            objectName: "noticeAction"
            text: notice.library.noticeAction
            onClicked: notice.library.acceptNotice()
        }
        IconButton {
            iconName: "close"
            name: qsTr("Close")
            onClicked: notice.library.dismissNotice()
        }
    }
}
