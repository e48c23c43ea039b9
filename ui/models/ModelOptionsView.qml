import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The load options of a model, each with its default and Reset.
Column {
    id: view

    required property ModelCard card
    readonly property ModelOptions options: view.card.options

    function showSampling(): void {
        view.card.showGeneration();
        sheet.shown = true;
    }

    topPadding: 4
    spacing: 14

    Line { width: parent.width }
    ModelOptionRow {
        title: qsTr("Context")
        help: qsTr("Maximum tokens in a chat")
        defaultText: view.options.contextDefault
        isSet: view.options.contextIsSet
        onReset: view.options.resetContext()

        AppSlider {
            objectName: "contextSlider"
            Layout.fillWidth: true
            name: qsTr("Context")
            value: view.options.contextPosition
            onMoved: view.options.contextPosition = value
        }
        Caption {
            Layout.preferredWidth: 120
            horizontalAlignment: Text.AlignRight
            text: view.options.contextText
            font.weight: Font.Medium
        }
    }
    ModelOptionRow {
        title: qsTr("Device")
        help: view.options.devices.note
        defaultText: qsTr("GPU if available")
        isSet: view.options.deviceIsSet
        onReset: view.options.deviceIndex = 0

        AppComboBox {
            objectName: "deviceChoice"
            Layout.fillWidth: true
            name: qsTr("Device")
            model: view.options.devices.labels
            currentIndex: view.options.deviceIndex
            onChosen: index => view.options.deviceIndex = index
        }
    }
    ModelOptionRow {
        title: qsTr("Threads")
        help: qsTr("CPU threads")
        defaultText: view.options.threadsDefault
        isSet: view.options.threadsIsSet
        onReset: view.options.threads = 0

        NumberBox {
            name: qsTr("Threads")
            number: view.options.threads
            onNumberSet: number => view.options.threads = number
        }
        Item { Layout.fillWidth: true }
    }
    ModelOptionRow {
        title: qsTr("Memory for chats")
        help: qsTr("MiB for the KV cache, shared by all chats")
        defaultText: view.options.cacheDefault
        isSet: view.options.cacheIsSet
        onReset: view.options.cacheMebibytes = 0

        NumberBox {
            name: qsTr("Memory for chats in MiB")
            number: view.options.cacheMebibytes
            onNumberSet: number => view.options.cacheMebibytes = number
        }
        Item { Layout.fillWidth: true }
    }
    ModelOptionRow {
        title: qsTr("Cache precision")
        help: qsTr("8 bit holds almost twice as much as 16 bit, with little quality loss")
        defaultText: view.options.precisionDefault
        isSet: view.options.precisionIsSet
        onReset: view.options.precisionIndex = 0

        AppComboBox {
            objectName: "precisionChoice"
            Layout.fillWidth: true
            name: qsTr("Cache precision")
            model: view.options.precisionChoices
            currentIndex: view.options.precisionIndex
            onChosen: index => view.options.precisionIndex = index
        }
    }
    ModelOptionRow {
        title: qsTr("Prompt batch size")
        help: qsTr("Larger reads long prompts faster; smaller keeps answers smooth")
        defaultText: view.options.batchDefault
        isSet: view.options.batchIsSet
        onReset: view.options.batchTokens = 0

        NumberBox {
            name: qsTr("Prompt batch size")
            number: view.options.batchTokens
            onNumberSet: number => view.options.batchTokens = number
        }
        Item { Layout.fillWidth: true }
    }
    SpeculationOptions { width: view.width; options: view.options }
    ModelOptionRow {
        title: qsTr("Unload when idle")
        help: qsTr("Frees its memory; it loads again when a chat needs it")
        defaultText: view.options.idleDefault
        isSet: view.options.idleIsSet
        onReset: view.options.idleIndex = 0

        AppComboBox {
            objectName: "modelIdle"
            Layout.fillWidth: true
            name: qsTr("Unload when idle")
            model: view.options.idleChoices
            currentIndex: view.options.idleIndex
            onChosen: index => view.options.idleIndex = index
        }
    }
    TextLink {
        anchors.left: parent.left
        objectName: "generationLink"
        text: qsTr("Sampling…")
        onClicked: view.showSampling()
    }
    SideSheet {
        id: sheet

        title: view.card.name
        iconName: "model"
        onClosed: sheet.shown = false

        GenerationSection { editor: view.card.generation }
    }
}
