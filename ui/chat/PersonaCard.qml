import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A persona to choose for a new chat.
AbstractButton {
    id: card

    required property string name
    required property string summary
    required property int colorIndex
    required property string iconName

    objectName: "personaCard"
    implicitHeight: 102
    hoverEnabled: true
    checkable: false
    focusPolicy: Qt.TabFocus  // A click leaves the keyboard where one writes.
    text: card.name
    Accessible.name: card.checked ? qsTr("%1, selected").arg(card.name) : card.name
    Accessible.description: card.summary
    Accessible.role: Accessible.RadioButton

    contentItem: Item {
        Row {
            x: 14
            y: 12
            spacing: 8

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                width: 16
                height: 16
                iconName: card.iconName
                color: Theme.chatColor(card.colorIndex)
            }
            Caption {
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
            width: 16
            height: 16
            color: Theme.accent
        }
        Caption {
            x: 14
            y: 34
            width: parent.width - 28
            height: parent.height - y - 8
            text: card.summary
            color: Theme.ink2
            font.pixelSize: Theme.small
            wrapMode: Text.Wrap
            maximumLineCount: 3
            lineRatio: 1.5
        }
    }
    background: Rectangle {
        radius: Theme.cardRadius
        color: Theme.surface
        border.color: card.checked ? Theme.accent : card.hovered ? Theme.ink3 : Theme.line

        FocusFrame { shown: card.visualFocus; radius: Theme.cardRadius + 2 }
    }
}
