import QtQuick
import Quire.Models

/// Creates a page when it is first shown, and keeps it.
LazyLoader {
    id: loader

    required property Navigation navigation
    required property int page
    readonly property bool isCurrent: loader.navigation.page === loader.page

    isOpen: true
    isWanted: false
    onIsCurrentChanged: loader.isWanted = true
    Component.onCompleted: loader.isWanted = loader.isCurrent
}
