import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The model whose files are shown: the way back, its name, licence and page.
Column {
    id: head

    required property GetModels source

    spacing: 6
    // The result that was chosen goes away.
    onVisibleChanged: if (head.visible) back.forceActiveFocus(Qt.TabFocusReason)

    RowLayout {
        width: parent.width
        spacing: 8

        IconButton {
            id: back

            objectName: "hubBack"
            width: 32
            height: 32
            iconName: "left"
            name: head.source.hasResults ? qsTr("Back to the results") : qsTr("Back")
            onClicked: head.source.back()
        }
        Heading {
            Layout.fillWidth: true
            text: head.source.files.title
            font.pixelSize: Theme.large
            elide: Text.ElideMiddle
        }
        ActionButton {
            objectName: "hubPage"
            visible: head.source.headHasPage
            text: qsTr("Open page")
            hintText: head.source.files.page
            onClicked: head.source.openPage()
        }
    }
    SmallText {
        anchors.left: parent.left
        anchors.leftMargin: 40
        width: parent.width - 40
        text: head.source.files.facts
    }
}
