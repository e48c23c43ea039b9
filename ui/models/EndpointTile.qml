pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A machine's card: its address, prices, and the models that chats can use.
CardFrame {
    id: tile

    required property RemoteModels remote
    required property string endpointId
    required property string name
    required property string place
    required property string price
    required property list<string> models

    implicitHeight: column.height + 32
    Accessible.role: Accessible.Grouping
    Accessible.name: tile.name

    Column {
        id: column

        x: 16
        y: 16
        width: parent.width - 32
        spacing: 8

        RowLayout {
            width: parent.width
            spacing: 8

            Icon {
                iconName: "remote"
                size: 16
            }
            Heading {
                Layout.fillWidth: true
                text: tile.name
                font.pixelSize: Theme.text
                elide: Text.ElideMiddle
            }
            ActionButton {
                objectName: "editEndpoint"
                text: qsTr("Edit")
                onClicked: tile.remote.edit(tile.endpointId)
            }
            IconButton {
                objectName: "removeEndpoint"
                width: 32
                height: 32
                iconName: "trash"
                name: qsTr("Remove %1 and its key. Its chats stay.").arg(tile.name)
                onClicked: tile.remote.remove(tile.endpointId)
            }
        }
        SmallText {
            width: parent.width
            text: tile.place
            elide: Text.ElideMiddle
        }
        SmallText {
            visible: text !== ""
            width: parent.width
            text: tile.price
        }
        Flow {
            width: parent.width
            topPadding: 4
            spacing: 8

            Repeater {
                model: tile.models

                PillButton {
                    required property string modelData

                    objectName: "startRemoteChat"
                    height: 28
                    iconName: "plus"
                    text: modelData
                    Accessible.name: qsTr("New chat with %1").arg(modelData)
                    onClicked: tile.remote.startChat(tile.endpointId, modelData)
                }
            }
        }
    }
}
