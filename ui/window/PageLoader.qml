import QtQuick
import Quire.Models

/// Creates a page when it is first shown, and keeps it.
LazyLoader {
    id: loader

    required property bool isCurrent

    isOpen: true
    isWanted: false
    onIsCurrentChanged: loader.isWanted = true
    Component.onCompleted: loader.isWanted = loader.isCurrent
}
