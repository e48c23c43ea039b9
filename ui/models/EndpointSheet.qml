import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Enters or changes a machine with models.
SideSheet {
    id: sheet

    required property EndpointEditor editor

    title: sheet.editor.isNew ? qsTr("Add a machine") : qsTr("Change %1").arg(sheet.editor.name)
    iconName: "remote"
    shown: sheet.editor.isOpen
    onClosed: sheet.editor.close()

    SmallText {
        width: parent.width
        text: qsTr("Any server with the API of OpenAI: vLLM, SGLang, llama.cpp, Ollama, or a hosted service. A chat that uses one of its models sends all its messages and files there.")
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
    EndpointFields {
        width: parent.width
        editor: sheet.editor
    }
    EndpointModelPicker {
        visible: sheet.editor.models.count > 0 || sheet.editor.result !== ""
        width: parent.width
        models: sheet.editor.models
    }
    footer: Flow {
        Layout.fillWidth: true
        layoutDirection: Qt.RightToLeft
        spacing: 8

        ActionButton {
            objectName: "saveEndpoint"
            primary: true
            enabled: sheet.editor.canTest
            text: sheet.editor.saveText
            onClicked: sheet.editor.save()
        }
        ActionButton {
            objectName: "testEndpoint"
            enabled: sheet.editor.canTest
            text: sheet.editor.isTesting ? qsTr("Testing…") : qsTr("Test")
            onClicked: sheet.editor.test()
        }
    }
}
