import QtQuick
import QtQuick.Layouts
import Quire

/// A message beside the item it concerns, with up to two actions and a button that dismisses it. It is a warning unless
/// `warns` is false, and hidden while the text is empty.
CardFrame {
    id: notice

    required property string text
    property bool warns: true
    property bool dismissable: true
    property string action: ""
    property bool isPrimary: false  ///< `action` is the primary one of its view.
    property string otherAction: ""

    signal acted()
    signal actedOtherwise()
    signal dismissed()

    visible: notice.text !== ""
    implicitHeight: Math.max(44, row.implicitHeight + 16)
    border.color: notice.warns ? Theme.warning : Theme.line
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
            visible: notice.warns && notice.otherAction === ""  // A question needs no icon.
            Layout.alignment: Qt.AlignTop
            Layout.topMargin: 5
            size: 16
            iconName: "warning"
            color: Theme.warning
        }
        Caption {
            Layout.fillWidth: true
            text: notice.text
            wrapMode: Text.Wrap
            lineRatio: 1.55
        }
        ActionButton {
            objectName: "noticeOther"
            focusPolicy: Qt.TabFocus
            visible: text !== ""
            implicitHeight: 28
            text: notice.otherAction
            onClicked: notice.actedOtherwise()
        }
        ActionButton {
            objectName: "noticeAction"
            focusPolicy: Qt.TabFocus
            visible: text !== ""
            implicitHeight: 28
            primary: notice.isPrimary
            text: notice.action
            onClicked: notice.acted()
        }
        IconButton {
            visible: notice.dismissable
            iconName: "close"
            name: qsTr("Dismiss")
            onClicked: notice.dismissed()
        }
    }
}
