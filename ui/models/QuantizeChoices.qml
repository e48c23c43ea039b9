import QtQuick
import Quire
import Quire.Models

/// What to quantise to, and where.
Column {
    id: choices

    required property ModelQuantizer quantizer

    spacing: 24

    SmallText {
        width: parent.width
        text: qsTr("Writes a smaller copy with fewer bits for each weight. It needs less memory and answers faster, and is a little less exact. The original stays as it is.")
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
    Sentence { width: parent.width; text: choices.quantizer.sourceNote; warns: true }
    FieldLabel {
        text: qsTr("Type")
        help: choices.quantizer.typeMeaning + "\n" + choices.quantizer.sizeText

        AppComboBox {
            objectName: "quantizeType"
            width: parent.width
            name: qsTr("Type")
            model: choices.quantizer.types
            currentIndex: choices.quantizer.typeIndex
            onChosen: index => choices.quantizer.typeIndex = index
        }
    }
    QuantizePath {
        label: qsTr("Calibration text (optional)")
        help: qsTr("A text like your chats. Weights that matter for it are stored more precisely; this helps most below 6 bits.")
        name: qsTr("Path of a text file")
        boxName: "quantizeText"
        path: choices.quantizer.textPath
        problem: choices.quantizer.textProblem
        onTyped: path => choices.quantizer.textPath = path
        onAsked: choices.quantizer.chooseText(qsTr("Choose a text"))
    }
    QuantizePath {
        label: qsTr("Folder")
        name: qsTr("Folder of the new file")
        boxName: "quantizeFolder"
        path: choices.quantizer.folder
        problem: choices.quantizer.folderProblem
        onTyped: path => choices.quantizer.folder = path
        onAsked: choices.quantizer.chooseFolder(qsTr("Choose a folder for the file"))
    }
    FieldLabel {
        text: qsTr("File name")

        TextBox {
            id: nameBox

            objectName: "quantizeName"
            width: parent.width
            name: qsTr("Name of the new file")
            warns: choices.quantizer.nameProblem !== ""
            onTextEdited: choices.quantizer.fileName = nameBox.text

            Binding on text {
                when: !nameBox.activeFocus
                restoreMode: Binding.RestoreNone
                value: choices.quantizer.fileName
            }
        }
        Sentence { topPadding: 6; width: parent.width; text: choices.quantizer.nameProblem; warns: true }
    }
    SettingRow {
        label: qsTr("Compare with the original")
        help: choices.quantizer.comparisonHelp

        AppSwitch {
            objectName: "quantizeCompare"
            name: qsTr("Compare with the original")
            checked: choices.quantizer.compares
            onClicked: choices.quantizer.compares = !choices.quantizer.compares
        }
    }
}
