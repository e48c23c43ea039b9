pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The switch of the API server, where it listens, and what it does now.
SettingsCard {
    id: card

    required property ServerModel server

    objectName: "serverSection"
    heading: qsTr("Server")
    section: "server"

    SettingRow {
        search: card.search
        setting: "server"
        label: qsTr("API server")
        help: qsTr("Lets other programs use your models, as they would use OpenAI's. Your chats come first.")
        problem: card.server.problem

        AppSwitch {
            objectName: "serverSwitch"
            anchors.verticalCenter: parent.verticalCenter
            name: qsTr("API server")
            checked: card.server.isOn
            onClicked: card.server.toggle()
        }
    }
    SettingRow {
        possible: card.server.isRunning
        search: card.search
        setting: "serverUse"
        label: qsTr("In use")
        help: qsTr("Models: %1").arg(card.server.modelsText)

        Caption {
            objectName: "serverLoad"
            anchors.verticalCenter: parent.verticalCenter
            text: card.server.loadText
        }
    }
    SettingRow {
        search: card.search
        setting: "serverAddress"
        label: qsTr("Address")
        help: qsTr("What programs ask for as the base URL.")

        ServerText {
            objectName: "serverAddress"
            name: qsTr("Address")
            text: card.server.address
            live: card.server.isRunning
        }
        IconButton {
            anchors.verticalCenter: parent.verticalCenter
            iconName: "copy"
            name: qsTr("Copy address")
            onClicked: card.server.copyAddress()
        }
    }
    SettingRow {
        search: card.search
        setting: "serverKey"
        label: qsTr("API key")
        help: qsTr("Programs must send it with each request.")
        problem: card.server.keyProblem

        ServerText {
            objectName: "serverKey"
            visible: text !== ""
            name: qsTr("API key")
            text: card.server.keyText
            live: card.server.keyIsShown
        }
        ActionButton {
            objectName: "serverKeyShown"
            text: card.server.keyIsShown ? qsTr("Hide") : qsTr("Show")
            onClicked: card.server.toggleKey()
        }
        IconButton {
            objectName: "serverKeyCopy"
            anchors.verticalCenter: parent.verticalCenter
            iconName: "copy"
            name: qsTr("Copy key")
            onClicked: card.server.copyKey()
        }
        IconButton {
            objectName: "serverKeyNew"
            anchors.verticalCenter: parent.verticalCenter
            iconName: "regenerate"
            name: qsTr("New key")
            hintText: qsTr("New key (the old one stops working at once)")
            onClicked: card.server.renewKey()
        }
    }
    SettingRow {
        search: card.search
        setting: "serverPort"
        label: qsTr("Port")
        defaultText: card.server.portDefault
        changed: card.server.portIsSet
        problem: card.server.portProblem
        onResetRequested: card.server.setPort("")

        ValueBox {
            objectName: "serverPort"
            name: qsTr("Port")
            stored: card.server.port
            problem: card.server.portProblem
            onCommitted: text => card.server.setPort(text)
        }
    }
    SettingRow {
        search: card.search
        setting: "serverReach"
        label: qsTr("Reachable from")
        defaultText: qsTr("Default: this computer")
        changed: card.server.reachIsSet
        problem: card.server.reachWarning
        onResetRequested: card.server.chooseReach(0)

        AppComboBox {
            objectName: "serverReach"
            width: 264
            name: qsTr("Reachable from")
            model: [qsTr("This computer"), qsTr("Other computers, too")]
            currentIndex: card.server.reachIndex
            onChosen: index => card.server.chooseReach(index)
        }
    }
}
