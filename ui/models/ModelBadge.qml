import QtQuick
import Quire

/// A badge beside a model's name.
Rectangle {
    id: badge

    required property string text
    property bool live: false

    visible: badge.text !== ""
    implicitWidth: badge.visible ? words.implicitWidth + 16 : 0
    implicitHeight: 20
    radius: 10
    color: "transparent"
    border.color: badge.live ? Theme.accent : Theme.line
    Accessible.role: Accessible.StaticText
    Accessible.name: badge.text

    Caption {
        id: words

        anchors.centerIn: parent
        text: badge.text
        color: badge.live ? Theme.accent : Theme.ink2
        font.pixelSize: Theme.tiny
        font.weight: Font.DemiBold
    }
}
