import QtQuick
import Quire
import Quire.Models

/// Shown while the user has no models: where Quire has scanned, and how to add one.
Column {
    id: welcome

    required property ModelLibrary library
    required property ModelOffers offers

    topPadding: welcome.library.isEmpty ? 56 : 20
    spacing: 12

    Icon {
        anchors.horizontalCenter: parent.horizontalCenter
        size: 28
        iconName: "model"
        color: Theme.ink3
    }
    Caption {
        width: parent.width
        horizontalAlignment: Text.AlignHCenter
        text: welcome.library.scanning ? qsTr("Scanning for models…") : qsTr("No models of your own yet")
        font.pixelSize: Theme.large
        font.weight: Font.DemiBold
    }
    Caption {
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(parent.width, 520)
        horizontalAlignment: Text.AlignHCenter
        text: qsTr("Quire scanned the folders of LM Studio, Ollama, GPT4All, Jan, llama.cpp and the Hugging Face libraries. Drop a GGUF file or a folder onto the window, or add a folder. Models load from their current folder; nothing is copied.")
        color: Theme.ink2
        font.pixelSize: Theme.text
        wrapMode: Text.Wrap
        lineRatio: 1.75
    }
    ActionButton {
        objectName: "welcomeAddFolder"
        visible: !welcome.offers.isAvailable
        anchors.horizontalCenter: parent.horizontalCenter
        primary: true
        text: qsTr("Add a folder")
        onClicked: welcome.library.chooseFolder(qsTr("Choose a folder with models"))
    }
    ModelOffersView {
        visible: welcome.offers.isAvailable
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(parent.width, 640)
        offers: welcome.offers
        isCentered: true
        isListed: true
    }
}
