pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The switch of the API server, where it listens, and what it does now.
SettingsCard {
    id: section

    required property ServerModel server

    objectName: "serverSection"
    visible: section.server.isAvailable
    heading: qsTr("Server")

    SettingRow {
        label: qsTr("API server")
        help: qsTr("Lets other programs use your models, as they would use OpenAI's. Your chats come first.")
        problem: section.server.problem

        AppSwitch {
            objectName: "serverSwitch"
            anchors.verticalCenter: parent.verticalCenter
            name: qsTr("API server")
            checked: section.server.isOn
            onClicked: section.server.toggle()
        }
    }
    SettingRow {
        visible: section.server.isRunning
        label: qsTr("In use")
        help: qsTr("Models: %1").arg(section.server.modelsText)

        Caption {
            objectName: "serverLoad"
            anchors.verticalCenter: parent.verticalCenter
            text: section.server.loadText
        }
    }
    SettingRow {
        label: qsTr("Address")
        help: qsTr("What programs ask for as the base URL.")

        ServerText {
            objectName: "serverAddress"
            name: qsTr("Address")
            text: section.server.address
            live: section.server.isRunning
        }
        IconButton {
            anchors.verticalCenter: parent.verticalCenter
            iconName: "copy"
            name: qsTr("Copy address")
            onClicked: section.server.copyAddress()
        }
    }
    SettingRow {
        label: qsTr("API key")
        help: qsTr("Programs must send it with each request.")
        problem: section.server.keyProblem

        ServerText {
            objectName: "serverKey"
            visible: text !== ""
            name: qsTr("API key")
            text: section.server.keyText
            live: section.server.keyIsShown
        }
        ActionButton {
            objectName: "serverKeyShown"
            text: section.server.keyIsShown ? qsTr("Hide") : qsTr("Show")
            onClicked: section.server.toggleKey()
        }
        IconButton {
            objectName: "serverKeyCopy"
            anchors.verticalCenter: parent.verticalCenter
            iconName: "copy"
            name: qsTr("Copy key")
            onClicked: section.server.copyKey()
        }
        IconButton {
            objectName: "serverKeyNew"
            anchors.verticalCenter: parent.verticalCenter
            iconName: "regenerate"
            name: qsTr("New key")
            hintText: qsTr("New key (the old one stops working at once)")
            onClicked: section.server.renewKey()
        }
    }
    SettingRow {
        label: qsTr("Port")
        defaultText: section.server.portDefault
        changed: section.server.portIsSet
        problem: section.server.portProblem
        onResetRequested: section.server.setPort("")

        ValueBox {
            objectName: "serverPort"
            name: qsTr("Port")
            stored: section.server.port
            warns: section.server.portProblem !== ""
            onCommitted: text => section.server.setPort(text)
        }
    }
    SettingRow {
        label: qsTr("Reachable from")
        defaultText: qsTr("Default: this computer")
        changed: section.server.reachIndex !== 0
        problem: section.server.reachWarning
        onResetRequested: section.server.chooseReach(0)

        AppComboBox {
            objectName: "serverReach"
            name: qsTr("Reachable from")
            model: [qsTr("This computer"), qsTr("Other computers, too")]
            currentIndex: section.server.reachIndex
            onChosen: index => section.server.chooseReach(index)
        }
    }
}
