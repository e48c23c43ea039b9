import QtQuick
import Quire

/// A persona to choose for a new chat.
BaseButton {
    id: card

    required property string name
    required property string summary
    required property int colorIndex
    required property string iconName
    property bool isCompact: false  ///< Only its icon and name.

    objectName: "personaCard"
    implicitHeight: card.isCompact ? 40 : 102
    focusPolicy: Qt.TabFocus  // A click leaves the focus in the composer.
    text: card.name
    radius: Theme.cardRadius
    fill: Theme.surface
    stroke: card.checked ? Theme.accent : card.hovered ? Theme.ink3 : Theme.line
    Accessible.name: card.checked ? qsTr("%1, selected").arg(card.name) : card.name
    Accessible.description: card.summary
    Accessible.role: Accessible.RadioButton

    contentItem: Item {
        Row {
            anchors.left: parent.left
            anchors.leftMargin: 14
            y: 12
            spacing: 8

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                size: 16
                iconName: card.iconName
                color: Theme.chatColor(card.colorIndex)
            }
            Caption {
                width: Math.min(implicitWidth, card.width - 24 - 28 - (card.checked ? 24 : 0))
                text: card.name
                font.weight: Font.DemiBold
            }
        }
        Icon {
            visible: card.checked
            anchors.right: parent.right
            anchors.rightMargin: 12
            y: 12
            iconName: "check"
            size: 16
            color: Theme.accent
        }
        SmallText {
            visible: !card.isCompact
            x: 14
            y: 34
            width: parent.width - 28
            height: parent.height - y - 8
            text: card.summary
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            maximumLineCount: 3
            lineRatio: 1.5
        }
    }
}
