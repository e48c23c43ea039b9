import QtQuick
import Quire

/// A toast that says what was deleted, with Undo and, unless `more` is empty, a further action.
Toast {
    id: toast

    signal undone()

    objectName: "undoToast"
    action: qsTr("Undo")
    actionName: "undoButton"
    onActed: toast.undone()
}
