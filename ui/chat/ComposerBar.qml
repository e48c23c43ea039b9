import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The lower edge of the composer: what stands in the way of sending, and Send or Stop.
RowLayout {
    id: bar

    required property ChatModel chat
    required property EngineStatus engine

    height: 36
    spacing: 8

    ActivityMark {
        Layout.leftMargin: 6
        visible: bar.engine.loading
    }
    Icon {
        Layout.leftMargin: 4
        visible: bar.chat.composerWarns
        iconName: "warning"
        Layout.preferredWidth: 16
        Layout.preferredHeight: 16
        color: Theme.warning
    }
    Caption {
        objectName: "composerNote"
        Layout.leftMargin: bar.engine.ready && !bar.chat.composerWarns ? 6 : 0
        Layout.fillWidth: true
        text: bar.chat.composerNote
        color: bar.chat.composerWarns ? Theme.warning : Theme.ink2
        font.pixelSize: Theme.small
        wrapMode: Text.Wrap
        maximumLineCount: 2
        Accessible.role: bar.chat.composerWarns ? Accessible.AlertMessage : Accessible.StaticText
        Accessible.name: text
    }
    ActionButton {
        visible: bar.chat.isEditing
        text: qsTr("Cancel")
        onClicked: bar.chat.cancelEdit()
    }
    ActionButton {
        objectName: "sendButton"
        visible: !bar.chat.isGenerating
        primary: true
        enabled: bar.chat.canSend
        text: bar.chat.isEditing ? qsTr("Send version") : qsTr("Send")
        trailingIcon: "return"
        onClicked: bar.chat.send()
    }
    ActionButton {
        objectName: "stopButton"
        visible: bar.chat.isGenerating
        text: qsTr("Stop")
        trailingIcon: "stop"
        hintText: qsTr("Stop this answer (Esc); what is written stays")
        onClicked: bar.chat.stop()
    }
}
