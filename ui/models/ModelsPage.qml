pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// All models on this computer and the memory they need. The header is fixed; the cards scroll.
Item {
    id: page

    required property ModelLibrary library
    required property GetModels source
    readonly property real columnWidth: Math.min(Theme.pageWidth, page.width - 2 * Theme.pageMargin)
    readonly property real columnX: Math.round((page.width - page.columnWidth) / 2)

    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Models")
    Component.onCompleted: page.library.prepare()

    ModelsHead {
        id: head

        x: page.columnX
        y: Theme.pageMargin
        width: page.columnWidth
        library: page.library
        source: page.source
    }
    GetModelsSheet {
        objectName: "getModelsSheet"
        source: page.source
    }
    EndpointSheet {
        objectName: "endpointSheet"
        editor: page.library.remote.editor
    }
    QuantizeSheet {
        objectName: "quantizeSheet"
        quantizer: page.library.quantizer
    }
    ModelFilesSheets { files: page.library.files }
    Line {
        visible: !cards.atYBeginning
        y: cards.y - 1
        width: parent.width
    }
    ScrollList {
        id: cards

        objectName: "modelCards"
        anchors.top: head.bottom
        anchors.topMargin: 4
        anchors.bottom: parent.bottom
        width: parent.width
        cacheBuffer: 400
        bottomMargin: 36
        model: page.library.list
        Accessible.name: head.library.summaryText
        topMargin: machines.height
        onTopMarginChanged: cards.contentY = cards.originY - cards.topMargin

        // No header of the list: Qt 6.4 creates that outside of the bound components' context.
        RemoteSection {
            id: machines

            objectName: "machines"
            parent: cards.contentItem
            y: cards.originY - height
            width: cards.width
            remote: page.library.remote
            columnX: page.columnX
            columnWidth: page.columnWidth
        }

        delegate: ModelRow {
            library: page.library
            columnX: page.columnX
            columnWidth: page.columnWidth
        }
    }
}
