import QtQuick
import QtQml

/// Creates `delegate` on demand: synchronously before `isOpen`, asynchronously afterwards, so that the window
/// never blocks. A Loader of Qt 6.4 refuses bound inline components; an Instantiator does not.
Item {
    id: part

    required property bool isWanted
    property Component delegate: null
    required property bool isOpen
    property bool isMade: false  // Instantiator.count is not notified after an asynchronous creation.
    readonly property bool isAwaited: part.isWanted && !part.isMade

    signal placed(made: Item)

    Accessible.ignored: true

    Instantiator {
        id: maker

        asynchronous: part.isOpen
        model: part.isWanted && part.delegate !== null ? 1 : 0
        delegate: part.delegate
        onObjectAdded: (index, object) => part.place(object as Item)
        onObjectRemoved: part.isMade = false
    }

    function place(made: Item): void {
        made.parent = part;
        made.anchors.fill = part;
        part.isMade = true;
        part.placed(made);
    }
}
