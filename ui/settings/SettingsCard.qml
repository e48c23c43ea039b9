import QtQuick
import Quire
import Quire.Models

/// A card with the settings of one section, shown where the page's sections or its search show that section.
Column {
    id: card

    required property string heading
    required property string section  ///< sectionId()
    required property SettingsSearch search
    default property alias content: body.data

    visible: card.search.showsSection(card.section, card.search.version)
    width: parent ? parent.width : 0
    spacing: 10

    Heading {
        anchors.left: parent.left
        text: card.heading
        font.pixelSize: Theme.large
    }
    CardFrame {
        width: card.width
        height: frame.implicitHeight + 40

        Column {
            id: frame

            x: 20
            y: 20
            width: parent.width - 40
            spacing: 22

            Column {
                id: body

                width: parent.width
                spacing: 22
            }
            AdvancedLink {
                anchors.left: parent.left
                objectName: "advanced-" + card.section
                visible: card.search.hasAdvanced
                open: card.search.showsAdvanced
                onClicked: card.search.showsAdvanced = !card.search.showsAdvanced
            }
        }
    }
}
