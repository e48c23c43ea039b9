import QtQuick
import QtQuick.Layouts
import Quire

/// A warning.
RowLayout {
    id: line

    required property string text

    visible: line.text !== ""
    Layout.fillWidth: true
    spacing: 10
    Accessible.role: Accessible.AlertMessage
    Accessible.name: line.text

    Icon {
        Layout.alignment: Qt.AlignTop
        Layout.topMargin: 1
        Layout.preferredWidth: 16
        Layout.preferredHeight: 16
        iconName: "warning"
        color: Theme.warning
    }
    Caption {
        Layout.fillWidth: true
        text: line.text
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        lineRatio: 1.55
    }
}
