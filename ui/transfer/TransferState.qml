import QtQuick
import Quire
import Quire.Models

/// The progress or result of an export, an import or a backup.
Column {
    id: state

    required property DataTransfer transfer

    visible: state.transfer.isBusy || state.transfer.result !== ""
    spacing: 8

    Row {
        anchors.left: parent.left
        visible: state.transfer.isBusy
        spacing: 12

        Caption {
            anchors.verticalCenter: parent.verticalCenter
            text: state.transfer.doing
        }
        MeterBar {
            anchors.verticalCenter: parent.verticalCenter
            width: 200
            height: 4
            value: state.transfer.progress
            Accessible.role: Accessible.ProgressBar
            Accessible.name: state.transfer.doing
        }
        ActionButton {
            implicitHeight: 28
            text: qsTr("Cancel")
            onClicked: state.transfer.cancel()
        }
    }
    Caption {
        visible: !state.transfer.hasFailed && text !== ""
        width: state.width
        text: state.transfer.result
        wrapMode: Text.Wrap
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
    Notice {
        width: state.width
        text: state.transfer.errorText
        onDismissed: state.transfer.dismissResult()
    }
}
