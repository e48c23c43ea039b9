pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The models that a search found.
Column {
    id: view

    required property GetModels source

    spacing: 2
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Models found")

    Repeater {
        model: view.source.results

        FoundModelRow {
            width: view.width
            onClicked: view.source.openModel(name)
        }
    }
}
