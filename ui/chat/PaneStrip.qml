import QtQuick
import QtQuick.Layouts
import Quire

/// A question or an undo note at the bottom of a pane.
Rectangle {
    id: strip

    required property string text
    required property string actionText
    property string otherText: ""
    property bool warns: false

    signal accepted()
    signal dismissed()

    visible: strip.text !== ""
    implicitHeight: visible ? Math.max(48, words.implicitHeight + 24) : 0
    radius: Theme.cardRadius
    color: Theme.surface
    border.color: strip.warns ? Theme.warning : Theme.line
    Accessible.role: Accessible.AlertMessage
    Accessible.name: strip.text

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: 14
        anchors.rightMargin: 8
        spacing: 8

        Caption {
            id: words

            Layout.fillWidth: true
            text: strip.text
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            lineHeight: 1.3
        }
        ActionButton {
            objectName: "stripOther"
            focusPolicy: Qt.TabFocus
            visible: strip.otherText !== ""
            text: strip.otherText
            onClicked: strip.dismissed()
        }
        ActionButton {
            objectName: "stripAction"
            focusPolicy: Qt.TabFocus
            text: strip.actionText
            onClicked: strip.accepted()
        }
    }
}
