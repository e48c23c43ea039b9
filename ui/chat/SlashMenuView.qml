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
    implicitHeight: Math.min(list.contentHeight, Math.max(7 * 40, 0.45 * Window.height)) + 12
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

        // The heading is a part of the row: Qt 6.4 creates no bound component as a section's delegate.
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
            readonly property bool beginsSection: ListView.section !== ListView.previousSection
            readonly property real headingHeight: entry.beginsSection ? 28 : 0

            width: ListView.view.width
            height: 40 + entry.headingHeight
            topInset: entry.headingHeight
            topPadding: entry.headingHeight
            leftPadding: Theme.mirrored ? 6 : 10
            rightPadding: Theme.mirrored ? 10 : 6
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
                    width: Math.min(implicitWidth, entry.availableWidth - x - 32)
                    text: entry.detail
                    elide: Text.ElideRight
                }
            }
            background: Rectangle {
                radius: Theme.rowRadius
                color: entry.isCurrent ? Theme.hover : "transparent"
            }

            Heading {
                visible: entry.beginsSection
                x: 10
                width: parent.width - 20
                height: entry.headingHeight
                verticalAlignment: Text.AlignVCenter
                text: entry.ListView.section
                color: Theme.ink2
                font.pixelSize: Theme.tiny
            }
            IconButton {
                visible: entry.isPrompt && entry.isCurrent
                anchors.right: parent.right
                anchors.rightMargin: 6
                y: entry.headingHeight + (40 - height) / 2
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
