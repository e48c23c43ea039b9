pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// The menu above the composer that a slash opens. The focus stays in the composer, whose keys it handles.
CardFrame {
    id: view

    required property SlashMenu menu

    signal replaced(int begin, int end, string text)

    objectName: "slashMenu"
    visible: view.menu.isOpen
    implicitHeight: Math.min(list.contentHeight, 7 * 40) + 12
    z: 2
    Accessible.role: Accessible.PopupMenu
    Accessible.name: qsTr("Personas and saved prompts")

    ScrollList {
        id: list

        anchors.fill: parent
        anchors.margins: 6
        model: view.menu
        currentIndex: view.menu.currentRow
        highlightMoveDuration: 0
        Accessible.name: view.Accessible.name
        section.property: "section"
        section.delegate: Heading {
            required property string section

            width: ListView.view.width
            height: 28
            leftPadding: 10
            verticalAlignment: Text.AlignVCenter
            text: section
            color: Theme.ink2
            font.pixelSize: Theme.tiny
        }

        delegate: ItemDelegate {
            id: entry

            required property int index
            required property string title
            required property string detail
            required property string iconName
            required property int colorIndex
            required property bool isPersona
            required property bool isPrompt
            readonly property bool isCurrent: ListView.isCurrentItem

            width: ListView.view.width
            height: 40
            leftPadding: 10
            rightPadding: 6
            focusPolicy: Qt.NoFocus
            Accessible.name: entry.title
            Accessible.description: entry.detail
            Accessible.selected: entry.isCurrent
            onHoveredChanged: view.menu.point(entry.index, entry.hovered)
            onClicked: view.menu.choose(entry.index)

            contentItem: Row {
                spacing: 10

                Icon {
                    anchors.verticalCenter: parent.verticalCenter
                    size: 16
                    iconName: entry.iconName
                    color: entry.isPersona ? Theme.chatColor(entry.colorIndex) : Theme.ink2
                }
                Caption {
                    anchors.verticalCenter: parent.verticalCenter
                    width: Math.min(implicitWidth, 0.55 * entry.width)
                    text: entry.title
                    font.weight: Font.Medium
                }
                TinyText {
                    anchors.verticalCenter: parent.verticalCenter
                    width: Math.min(implicitWidth, 0.3 * entry.width)
                    text: entry.detail
                    elide: Text.ElideRight
                }
            }
            background: Rectangle {
                radius: Theme.rowRadius
                color: entry.isCurrent ? Theme.hover : "transparent"
            }

            IconButton {
                visible: entry.isPrompt && entry.isCurrent
                anchors.right: parent.right
                anchors.rightMargin: 6
                anchors.verticalCenter: parent.verticalCenter
                focusPolicy: Qt.NoFocus
                iconName: "close"
                iconSize: 14
                name: qsTr("Delete this prompt (Shift+Del)")
                onClicked: view.menu.removePrompt(entry.index)
            }
        }
    }
    Item {  // Screen readers hear the current row, since the focus stays in the composer.
        Accessible.role: Accessible.AlertMessage
        Accessible.name: view.menu.currentText
        Accessible.ignored: !view.visible
    }
    Connections {
        target: view.menu

        function onReplaced(begin: int, end: int, text: string): void {
            view.replaced(begin, end, text);
        }
    }
}
