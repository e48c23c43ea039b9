import QtQuick
import Quire
import Quire.Models

/// What is being done with the files of models while no sheet shows it, and the result of verifying.
Column {
    id: strip

    required property ModelFileActions files
    readonly property bool isMovingAside: strip.files.mover.isMoving && !strip.files.mover.isOpen

    // An item in something that is hidden is never visible, so this does not ask the notices.
    visible: strip.files.verifier.text !== "" || strip.isMovingAside
    spacing: 8

    Notice {
        id: verifying

        objectName: "verifyNotice"
        width: parent.width
        text: strip.files.verifier.text
        warns: strip.files.verifier.warns
        dismissable: !strip.files.verifier.isRunning
        action: strip.files.verifier.isRunning ? qsTr("Stop") : ""
        onActed: strip.files.verifier.cancel()
        onDismissed: strip.files.verifier.dismiss()
    }
    Notice {
        id: moving

        visible: strip.isMovingAside
        width: parent.width
        text: strip.files.mover.progressText
        warns: false
        dismissable: false
        action: qsTr("Show")
        onActed: strip.files.mover.show()
    }
}
