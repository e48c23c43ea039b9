pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire.Models

/// Creates the page `sourceComponent` in slices when it is first shown, and keeps it. A Loader of Qt 6.4 refuses
/// bound inline components; an Instantiator does not.
Item {
    id: loader

    required property Navigation navigation
    required property int page
    property Component sourceComponent: null
    readonly property bool isCurrent: loader.navigation.page === loader.page
    property bool isMade: false

    Accessible.ignored: true
    onIsCurrentChanged: loader.isMade = true
    Component.onCompleted: loader.isMade = loader.isCurrent

    Instantiator {
        asynchronous: true
        model: loader.isMade && loader.sourceComponent !== null ? 1 : 0
        delegate: loader.sourceComponent
        onObjectAdded: (index, object) => loader.place(object as Item)
    }

    function place(page: Item): void {
        page.parent = loader;
        page.anchors.fill = loader;
    }
}
