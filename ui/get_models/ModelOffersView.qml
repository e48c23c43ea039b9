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

    function focusButton(): void {
        show.forceActiveFocus(Qt.TabFocusReason);
    }

    spacing: 12
    Accessible.role: Accessible.Grouping
    Accessible.name: qsTr("Models to download")

    ActionButton {
        id: show

        objectName: "showOffers"
        x: view.isCentered ? (view.width - width) / 2 : 0
        visible: !view.offers.isShown || view.offers.problem !== ""
        primary: view.isPrimary && !view.offers.isShown
        implicitHeight: 40
        text: view.offers.isShown ? qsTr("Try again") : qsTr("Show models to download")
        hintText: qsTr("Asks Hugging Face for models that fit this computer")
        Keys.onReturnPressed: view.offers.show()
        Keys.onEnterPressed: view.offers.show()
        onClicked: view.offers.show()
    }
    Sentence { width: parent.width; text: view.offers.note }
    Sentence { objectName: "offersProblem"; width: parent.width; text: view.offers.problem; warns: true }
    Flow {
        visible: view.offers.count > 0
        width: parent.width
        spacing: 10

        Repeater {
            model: view.offers

            OfferCard {
                required property int index

                width: view.width < 480 ? view.width : (view.width - 20) / 3
                isPrimary: view.isPrimary
                onActed: view.offers.act(index)
            }
        }
    }
}
