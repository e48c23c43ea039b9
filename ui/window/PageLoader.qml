pragma ComponentBehavior: Bound
import QtQuick
import QtQml
import Quire.Models

/// Makes the page `sourceComponent` when it is first shown, a slice at a time so that the window never waits for it,
/// and keeps it. A Loader of Qt 6.4 refuses components that are bound to the file they stand in; an Instantiator does
/// not.
Item {
    id: loader

    required property AppModel app
    required property int page
    property Component sourceComponent: null
    readonly property bool isCurrent: loader.app.page === loader.page
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
