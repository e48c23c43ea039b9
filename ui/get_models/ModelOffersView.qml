pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// Models that fit this computer, once the user asked for them and the hub has confirmed them.
Column {
    id: view

    required property ModelOffers offers
    property bool isCentered: false
    property bool isPrimary: true  ///< It holds the page's primary button.
    property bool isListed: false  ///< A list of downloads is on the same page.
    readonly property bool isAsking: view.offers.isAsking

    function focusButton(): void {
        show.forceActiveFocus(Qt.TabFocusReason);
    }
    /// Buttons take turns: the one that appears takes the focus of the one that goes.
    function passFocus(): void {
        if (view.isAsking && show.activeFocus)
            asking.takeFocus(show.focusReason);
        else if (!view.isAsking && asking.hasFocus)
            view.nextButton().forceActiveFocus(Qt.TabFocusReason);
    }
    function nextButton(): Item {
        if (view.offers.canShow)
            return show;
        for (let row = 0; row < models.count; ++row) {
            const card = models.itemAt(row) as OfferCard;
            if (card.isSuggested)
                return card.button;
        }
        return show;
    }

    spacing: 12
    onIsAskingChanged: view.passFocus()
    Accessible.role: Accessible.Grouping
    Accessible.name: qsTr("Models to download")

    ActionButton {
        id: show

        objectName: "showOffers"
        x: view.isCentered ? (view.width - width) / 2 : Theme.mirrored ? view.width - width : 0
        visible: view.offers.canShow
        primary: view.isPrimary
        implicitHeight: 40
        text: view.offers.showText
        hintText: qsTr("Asks Hugging Face for models that fit this computer")
        Keys.onReturnPressed: view.offers.show()
        Keys.onEnterPressed: view.offers.show()
        onClicked: view.offers.show()
    }
    HubProgress {
        id: asking

        objectName: "offersProgress"
        visible: view.offers.isAsking
        width: parent.width
        text: view.offers.askingText
        onCancelled: view.offers.cancel()
    }
    Sentence { width: parent.width; text: view.offers.note }
    Sentence { objectName: "offersProblem"; width: parent.width; text: view.offers.problem; warns: true }
    Flow {
        visible: view.offers.count > 0
        width: parent.width
        spacing: 10

        Repeater {
            id: models

            model: view.offers

            OfferCard {
                required property int index

                width: view.width < 480 ? view.width : (view.width - 20) / 3
                isPrimary: view.isPrimary
                isListed: view.isListed
                onActed: view.offers.act(index)
            }
        }
    }
}
