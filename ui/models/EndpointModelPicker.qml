pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// Which models of a machine chats can use.
Column {
    id: picker

    required property EndpointModels models

    function addTyped(): void {
        picker.models.add(typed.text);
        typed.clear();
    }

    spacing: 8

    Caption {
        anchors.left: parent.left
        text: qsTr("Models")
        font.weight: Font.DemiBold
    }
    SmallText {
        visible: picker.models.count > 0
        width: parent.width
        text: picker.models.summary
    }
    SearchField {
        visible: picker.models.isLong
        width: parent.width
        name: qsTr("Search models")
        text: picker.models.filter
        onTextEdited: picker.models.filter = text
    }
    Repeater {
        model: picker.models

        RowLayout {
            id: row

            required property string name
            required property bool isChosen

            width: picker.width
            spacing: 12

            Caption {
                Layout.fillWidth: true
                text: row.name
                elide: Text.ElideMiddle
            }
            AppSwitch {
                objectName: "endpointModel"
                name: row.name
                checked: row.isChosen
                onClicked: picker.models.toggle(row.name)
            }
        }
    }
    RowLayout {
        width: parent.width
        spacing: 8

        TextBox {
            id: typed

            Layout.fillWidth: true
            objectName: "endpointModelName"
            name: qsTr("Name of another model")
            hint: qsTr("Name of another model")
            onAccepted: picker.addTyped()
        }
        ActionButton {
            enabled: typed.text !== ""
            text: qsTr("Add")
            onClicked: picker.addTyped()
        }
    }
}
