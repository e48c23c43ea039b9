import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// What a gated model needs: consent on its page, and a token.
CardFrame {
    id: card

    required property GetModels source

    implicitHeight: column.height + 32
    Accessible.role: Accessible.Grouping
    Accessible.name: title.text

    Column {
        id: column

        x: 16
        y: 16
        width: parent.width - 32
        spacing: 12

        Caption {
            id: title

            width: parent.width
            text: qsTr("This model asks for consent")
            font.weight: Font.DemiBold
        }
        SmallText {
            width: parent.width
            text: qsTr("Sign in to your account on the model's page and agree to its terms. Then paste an access token of that account here. The token is kept in the system's keychain and sent only to this hub.")
            wrapMode: Text.Wrap
            lineRatio: 1.55
        }
        ActionButton {
            objectName: "consentPage"
            visible: card.source.canOpenPage
            primary: card.source.pageIsNext
            text: qsTr("Open page")
            hintText: card.source.files.page
            onClicked: card.source.openPage()
        }
        RowLayout {
            width: parent.width
            spacing: 8

            EndpointBox {
                Layout.fillWidth: true
                objectName: "hubToken"
                name: qsTr("Access token")
                hint: "hf_…"
                echoMode: TextInput.Password
                stored: card.source.token
                onTextEdited: card.source.token = text
                onAccepted: card.source.saveToken()
            }
            ActionButton {
                objectName: "saveHubToken"
                primary: card.source.tokenIsNext
                enabled: card.source.token !== ""
                text: qsTr("Save token")
                onClicked: card.source.saveToken()
            }
        }
        Sentence {
            width: parent.width
            text: card.source.tokenNote
        }
    }
}
