pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// What can be downloaded of a model.
Column {
    id: view

    required property GetModels source

    spacing: 8
    Accessible.role: Accessible.List
    Accessible.name: view.source.files.title

    Repeater {
        model: view.source.files

        ModelFileRow {
            required property int index

            width: view.width
            isPrimary: view.source.filesAreNext
            onGetWanted: view.source.get(index)
        }
    }
    SmallText {
        visible: text !== ""
        width: parent.width
        topPadding: 4
        text: view.source.files.speedNote
        wrapMode: Text.Wrap
        lineRatio: 1.55
    }
}
