import QtQuick
import QtQuick.Layouts
import Quire

/// A model that a search found; a click shows its files.
BaseButton {
    id: row

    required property string name
    required property string shownName
    required property string facts

    objectName: "foundModel"
    implicitHeight: 56
    leftPadding: 12
    rightPadding: 12
    Accessible.name: row.shownName
    Accessible.description: row.facts

    contentItem: RowLayout {
        spacing: 12

        Column {
            Layout.fillWidth: true
            spacing: 4

            Caption {
                width: parent.width
                text: row.shownName
                font.weight: Font.DemiBold
                elide: Text.ElideMiddle
            }
            SmallText {
                width: parent.width
                text: row.facts
            }
        }
        Icon {
            iconName: "right"
            size: 16
        }
    }
    HoverHandler { cursorShape: Qt.PointingHandCursor }
}
