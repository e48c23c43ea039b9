import QtQuick
import Quire
import Quire.Models

/// The choice of a model on the first run. The primary one is a model that is on this computer, else one to download,
/// else the demonstration.
Column {
    id: section

    required property FirstRun run
    required property ModelOffers offers
    /// There is no model yet, and one can be downloaded.
    readonly property bool offersFirst: section.offers.isAvailable && !section.run.hasModel

    component StartButton: ActionButton {
        id: button

        implicitHeight: 40
        Keys.onReturnPressed: button.clicked()
        Keys.onEnterPressed: button.clicked()
    }

    function focusPrimary(): void {
        section.offersFirst ? download.focusButton() : start.forceActiveFocus(Qt.TabFocusReason);
    }

    spacing: 20

    Notice {
        width: parent.width
        text: section.run.problem
        dismissable: false
    }
    StartButton {
        id: start

        anchors.left: parent.left
        objectName: "firstRunStart"
        visible: !section.offersFirst
        primary: true
        text: section.run.startText
        onClicked: section.run.startAlone()
    }
    ModelOffersView {
        id: download

        visible: section.offersFirst || section.offers.isShown
        width: parent.width
        offers: section.offers
        isPrimary: section.offersFirst
    }
    Flow {
        width: parent.width
        spacing: 12

        StartButton {
            objectName: "firstRunDemo"
            visible: section.offersFirst
            primary: section.offers.hasNothing
            text: section.run.startText
            onClicked: section.run.startAlone()
        }
        StartButton {
            objectName: "firstRunOffers"
            visible: section.offers.isAvailable && !section.offersFirst && !section.offers.isShown
            text: qsTr("Show models to download")
            onClicked: section.offers.show()
        }
        StartButton {
            objectName: "firstRunModels"
            text: section.run.hasModel ? qsTr("Choose another model") : qsTr("Use a model you have")
            onClicked: section.run.chooseModel()
        }
    }
    SmallText {
        width: parent.width
        text: section.run.modelsText
        wrapMode: Text.Wrap
        lineRatio: 1.55
        Accessible.name: text
    }
}
