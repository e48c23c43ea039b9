import QtQuick
import QtQuick.Layouts
import Quire

/// An error near where it occurred, which can be dismissed.
Rectangle {
    id: notice

    required property string text
    property bool dismissable: true
    property string action  ///< Words for a button; empty: there is none.

    signal dismissed()
    signal acted()

    visible: notice.text !== ""
    implicitHeight: row.implicitHeight + 16
    radius: Theme.cardRadius
    color: Theme.surface
    border.color: Theme.warning
    Accessible.role: Accessible.AlertMessage
    Accessible.name: notice.text

    RowLayout {
        id: row

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.verticalCenter: parent.verticalCenter
        anchors.leftMargin: 12
        anchors.rightMargin: 8
        spacing: 10

        Icon {
            Layout.alignment: Qt.AlignTop
            Layout.topMargin: 5
            Layout.preferredWidth: 16
            Layout.preferredHeight: 16
            iconName: "warning"
            color: Theme.warning
        }
        Caption {
            Layout.fillWidth: true
            text: notice.text
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            lineRatio: 1.55
        }
        ActionButton {
            objectName: "noticeAction"
            Layout.alignment: Qt.AlignTop
            visible: notice.action !== ""
            implicitHeight: 28
            text: notice.action
            onClicked: notice.acted()
        }
        IconButton {
            Layout.alignment: Qt.AlignTop
            visible: notice.dismissable
            iconName: "close"
            name: qsTr("Dismiss")
            onClicked: notice.dismissed()
        }
    }
}
