import QtQuick
import Quire

/// A backup: its date, its content, and Restore.
Item {
    id: row

    required property int index
    required property string when
    required property string detail
    /// Restoring it is the next step.
    property bool primary: false

    signal restoreRequested(int row)

    function takeFocus(): void {
        button.forceActiveFocus(Qt.OtherFocusReason);
    }

    height: Math.max(48, facts.implicitHeight + 12)

    Line { width: parent.width }
    Caption {
        anchors.left: parent.left
        anchors.verticalCenter: parent.verticalCenter
        text: row.when
    }
    SmallText {
        id: facts

        anchors.verticalCenter: parent.verticalCenter
        anchors.left: parent.left
        anchors.leftMargin: 190
        width: row.width - anchors.leftMargin - button.width - 12
        text: row.detail
        wrapMode: Text.Wrap
    }
    ActionButton {
        id: button

        objectName: "restoreBackup" + row.index
        primary: row.primary
        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        implicitHeight: 28
        text: qsTr("Restore")
        Accessible.name: qsTr("Restore what is missing from the backup of %1").arg(row.when)
        onClicked: row.restoreRequested(row.index)
    }
}
