import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The bottom of the composer: why a message cannot be sent, and Send or Stop.
RowLayout {
    id: bar

    required property PersonaListModel personas
    required property ComposerModel model
    required property EngineStatus engine

    height: Math.max(36, note.implicitHeight)
    spacing: 8

    AttachButton {
        model: bar.model
    }
    TargetChip {
        visible: bar.model.hasTargets
        model: bar.model
    }
    AskChip {
        personas: bar.personas
        model: bar.model
    }
    ActivityMark {
        Layout.leftMargin: 6
        visible: bar.engine.loading
    }
    Icon {
        Layout.leftMargin: 4
        visible: bar.model.warns
        iconName: "warning"
        size: 16
        color: Theme.warning
    }
    Caption {
        id: note

        objectName: "composerNote"
        Layout.leftMargin: 0
        Layout.fillWidth: true
        opacity: bar.model.warns || width >= 96 ? 1 : 0  // Narrower, it would be elided to a few letters.
        text: bar.model.note
        color: bar.model.warns ? Theme.warning : Theme.ink2
        font.pixelSize: Theme.small
        wrapMode: Text.Wrap
        elide: Text.ElideRight
        maximumLineCount: 6
        Accessible.role: bar.model.warns ? Accessible.AlertMessage : Accessible.StaticText
        Accessible.name: text
    }
    ActionButton {
        focusPolicy: Qt.TabFocus
        objectName: "sendButton"
        visible: bar.model.showsSend
        primary: true
        enabled: bar.model.canSend
        text: qsTr("Send")
        trailingIcon: "return"
        onClicked: bar.model.send()
    }
    ActionButton {
        focusPolicy: Qt.TabFocus
        objectName: "stopButton"
        visible: bar.model.isGenerating
        text: qsTr("Stop")
        trailingIcon: "stop"
        hintText: qsTr("Stop (Esc); keeps what is written")
        onClicked: bar.model.stop()
    }
}
