import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The field for a search or for the name of a model. Only Return and the button ask the network.
Column {
    id: search

    required property GetModels source

    function focusField(): void {
        field.forceActiveFocus(Qt.TabFocusReason);
    }

    spacing: 8

    RowLayout {
        width: parent.width
        spacing: 8

        SearchField {
            id: field

            Layout.fillWidth: true
            objectName: "hubSearch"
            name: qsTr("Search models, or type a name")
            text: search.source.text
            onTextEdited: search.source.text = text
            onAccepted: search.source.search()
        }
        ActionButton {
            objectName: "hubSearchButton"
            primary: search.source.searchIsNext
            implicitHeight: 36
            enabled: search.source.canSearch
            text: qsTr("Search")
            onClicked: search.source.search()
        }
    }
    SmallText {
        width: parent.width
        text: qsTr("Search Hugging Face by words, or open a model by its name or link: Qwen/Qwen3-8B-GGUF, or qwen3:8b from Ollama. Nothing is sent until you search.")
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
}
