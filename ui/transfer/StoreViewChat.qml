import QtQuick
import Quire

/// A chat of a damaged store: its name and date.
Rectangle {
    id: row

    required property int index
    required property string heading
    required property string words
    property bool isCurrent: false

    signal chosen(int row)

    height: 40
    radius: Theme.rowRadius
    color: row.isCurrent ? Theme.surface : hover.hovered ? Theme.hover : "transparent"
    Accessible.role: Accessible.ListItem
    Accessible.name: qsTr("%1, %2").arg(row.heading).arg(row.words)
    Accessible.onPressAction: row.chosen(row.index)

    HoverHandler { id: hover }
    TapHandler { onTapped: row.chosen(row.index) }
    Caption {
        anchors.left: parent.left
        anchors.leftMargin: 10
        anchors.right: date.left
        anchors.rightMargin: 8
        anchors.verticalCenter: parent.verticalCenter
        text: row.heading
        elide: Text.ElideRight
    }
    SmallText {
        id: date

        anchors.right: parent.right
        anchors.rightMargin: 10
        anchors.verticalCenter: parent.verticalCenter
        text: row.words
    }
}
