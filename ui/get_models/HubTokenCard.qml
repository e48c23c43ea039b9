import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// What a model needs that its hub does not give to everybody: consent on its page, and a token.
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
            text: qsTr("Agree to its terms on its page, signed in to your account. Then paste an access token of that account here. The token is kept in the system's keychain and sent only to this hub.")
            wrapMode: Text.Wrap
            lineRatio: 1.55
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
