import QtQuick
import QtQuick.Layouts
import Quire

/// One copy of a model, with the size above the first.
Column {
    id: row

    required property string path
    required property string name
    required property string place
    required property bool isFirst
    required property string sizeText

    signal deleteWanted(string path)

    spacing: 8

    SmallText {
        visible: row.isFirst
        width: parent.width
        topPadding: 8
        text: qsTr("%1 each").arg(row.sizeText)
    }
    RowLayout {
        width: parent.width
        spacing: 12

        Column {
            Layout.fillWidth: true
            spacing: 2

            Caption {
                width: parent.width
                text: row.name
                font.weight: Font.DemiBold
                elide: Text.ElideMiddle
            }
            SmallText {
                width: parent.width
                text: row.place
                elide: Text.ElideMiddle
            }
        }
        ActionButton {
            objectName: "deleteCopy"
            text: qsTr("Delete…")
            Accessible.name: qsTr("Delete the copy in %1").arg(row.place)
            onClicked: row.deleteWanted(row.path)
        }
    }
}
