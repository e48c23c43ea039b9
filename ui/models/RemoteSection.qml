pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The machines with models that the user entered, above the models of this computer.
Column {
    id: section

    required property RemoteModels remote
    required property real columnX
    required property real columnWidth

    visible: section.remote.count > 0
    height: visible ? implicitHeight : 0
    topPadding: 20
    spacing: 12

    Heading {
        x: section.columnX
        width: section.columnWidth
        text: qsTr("Other machines")
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
    Repeater {
        model: section.remote

        EndpointTile {
            x: section.columnX
            width: section.columnWidth
            remote: section.remote
        }
    }
}
