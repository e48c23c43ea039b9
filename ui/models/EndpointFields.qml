import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The address, name, key and prices of a machine, and the result of its test.
Column {
    id: fields

    required property EndpointEditor editor

    spacing: 20

    FieldLabel {
        text: qsTr("Address")
        help: fields.editor.addressNote

        EndpointBox {
            objectName: "endpointAddress"
            width: parent.width
            name: qsTr("Address")
            hint: qsTr("https://api.example.com or 192.168.1.20:8000")
            warns: fields.editor.addressProblem !== ""
            stored: fields.editor.address
            onTextEdited: fields.editor.address = text
        }
        Sentence { topPadding: 6; width: parent.width; text: fields.editor.addressProblem; warns: true }
    }
    FieldLabel {
        text: qsTr("Key (optional)")
        help: qsTr("It is kept in the system's keychain, never in your chats' database or in exports.")

        EndpointBox {
            objectName: "endpointKey"
            width: parent.width
            name: qsTr("Key")
            hint: fields.editor.keyHint
            echoMode: TextInput.Password
            stored: fields.editor.key
            onTextEdited: fields.editor.key = text
        }
    }
    FieldLabel {
        text: qsTr("Name (optional)")

        EndpointBox {
            objectName: "endpointName"
            width: parent.width
            name: qsTr("Name of the machine")
            hint: fields.editor.nameHint
            stored: fields.editor.name
            onTextEdited: fields.editor.name = text
        }
    }
    FieldLabel {
        text: qsTr("Prices (optional)")
        help: qsTr("In US dollars per million tokens. Answers then show what they cost.")

        RowLayout {
            width: parent.width
            spacing: 8

            EndpointBox {
                Layout.fillWidth: true
                Layout.preferredWidth: 1
                objectName: "inputPrice"
                name: qsTr("Price of a million tokens in")
                hint: qsTr("In")
                stored: fields.editor.inputPrice
                onTextEdited: fields.editor.inputPrice = text
            }
            EndpointBox {
                Layout.fillWidth: true
                Layout.preferredWidth: 1
                objectName: "outputPrice"
                name: qsTr("Price of a million tokens out")
                hint: qsTr("Out")
                stored: fields.editor.outputPrice
                onTextEdited: fields.editor.outputPrice = text
            }
        }
        Sentence { topPadding: 6; width: parent.width; text: fields.editor.priceProblem; warns: true }
    }
    Sentence {
        objectName: "endpointResult"
        width: parent.width
        text: fields.editor.result
        warns: fields.editor.hasFailed
    }
}
