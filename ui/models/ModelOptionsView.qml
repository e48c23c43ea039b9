import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// How one model is to be loaded: each choice with its default in words and a way back to it.
Column {
    id: view

    required property ModelCard card
    readonly property ModelOptions options: view.card.options

    topPadding: 4
    spacing: 14

    Rectangle { width: parent.width; height: 1; color: Theme.line }
    ModelOptionRow {
        width: parent.width
        title: qsTr("Context")
        help: qsTr("How many tokens a chat may hold")
        defaultText: view.options.contextDefault
        isSet: view.options.contextIsSet
        onReset: view.options.resetContext()

        QuietSlider {
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
        width: parent.width
        title: qsTr("Device")
        help: view.options.devices.note
        defaultText: qsTr("a GPU if there is one")
        isSet: view.options.deviceIndex > 0
        onReset: view.options.deviceIndex = 0

        QuietSelect {
            objectName: "deviceChoice"
            Layout.fillWidth: true
            name: qsTr("Device")
            model: view.options.devices.labels
            currentIndex: view.options.deviceIndex
            onChosen: index => view.options.deviceIndex = index
        }
    }
    ModelOptionRow {
        width: parent.width
        title: qsTr("Threads")
        help: qsTr("Of the processor")
        defaultText: view.options.threadsDefault
        isSet: view.options.threads > 0
        onReset: view.options.threads = 0

        NumberBox {
            name: qsTr("Threads")
            number: view.options.threads
            onCommitted: number => view.options.threads = number
        }
        Item { Layout.fillWidth: true }
    }
    ModelOptionRow {
        width: parent.width
        title: qsTr("Memory for chats")
        help: qsTr("MiB for keys and values, of all chats together")
        defaultText: view.options.cacheDefault
        isSet: view.options.cacheMebibytes > 0
        onReset: view.options.cacheMebibytes = 0

        NumberBox {
            name: qsTr("Memory for chats in MiB")
            number: view.options.cacheMebibytes
            onCommitted: number => view.options.cacheMebibytes = number
        }
        Item { Layout.fillWidth: true }
    }
    ModelOptionRow {
        width: parent.width
        title: qsTr("Memory precision")
        help: qsTr("8 bit holds almost two to almost four times as much; answers hardly differ")
        defaultText: view.options.precisionDefault
        isSet: view.options.precisionIndex > 0
        onReset: view.options.precisionIndex = 0

        QuietSelect {
            objectName: "precisionChoice"
            Layout.fillWidth: true
            name: qsTr("Memory precision")
            model: view.options.precisionChoices
            currentIndex: view.options.precisionIndex
            onChosen: index => view.options.precisionIndex = index
        }
    }
    ModelOptionRow {
        width: parent.width
        title: qsTr("Tokens of a step")
        help: qsTr("Computed at once: more reads long prompts faster, less lets answers flow evenly")
        defaultText: view.options.batchDefault
        isSet: view.options.batchTokens > 0
        onReset: view.options.batchTokens = 0

        NumberBox {
            name: qsTr("Tokens of a step")
            number: view.options.batchTokens
            onCommitted: number => view.options.batchTokens = number
        }
        Item { Layout.fillWidth: true }
    }
    ModelOptionRow {
        width: parent.width
        title: qsTr("Unload when idle")
        help: qsTr("Gives its memory back; a chat that asks loads it again")
        defaultText: view.options.idleDefault
        isSet: view.options.idleIndex > 0
        onReset: view.options.idleIndex = 0

        QuietSelect {
            objectName: "modelIdle"
            Layout.fillWidth: true
            name: qsTr("Unload when idle")
            model: view.options.idleChoices
            currentIndex: view.options.idleIndex
            onChosen: index => view.options.idleIndex = index
        }
    }
    TextLink {
        objectName: "generationLink"
        text: qsTr("How its answers are drawn…")
        name: text
        onClicked: sheet.show()
    }
    ModelSheet {
        id: sheet

        card: view.card
    }
}
