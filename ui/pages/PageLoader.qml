pragma ComponentBehavior: Bound
import QtQuick
import Quire.Models

/// Makes the page `sourceComponent` when it is first shown, and keeps it. A Loader of Qt 6.4 refuses components that
/// are bound to the file they stand in; a Repeater does not.
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

    Repeater {
        model: loader.isMade && loader.sourceComponent !== null ? 1 : 0
        delegate: loader.sourceComponent
        onItemAdded: (index, item) => item.anchors.fill = loader
    }
}
