import QtQuick
import Quire

/// "‹ 2 / 2 ›": switches between the versions of a message.
Row {
    id: versions

    required property int version
    required property int versionCount
    property bool canSwitch: true

    signal switched(int step)

    visible: versions.versionCount > 1
    spacing: 0

    MessageButton {
        width: 22
        iconName: "left"
        iconSize: 13
        name: qsTr("Previous version")
        enabled: versions.canSwitch && versions.version > 1
        onClicked: versions.switched(-1)
    }
    TinyText {
        anchors.verticalCenter: parent.verticalCenter
        text: qsTr("%1 / %2").arg(versions.version).arg(versions.versionCount)
    }
    MessageButton {
        width: 22
        iconName: "right"
        iconSize: 13
        name: qsTr("Next version")
        enabled: versions.canSwitch && versions.version < versions.versionCount
        onClicked: versions.switched(1)
    }
}
