import QtQuick
import Quire.Models

/// An invisible item that announces the streaming answer to screen readers.
Item {
    id: speaker

    required property SpokenAnswer spoken

    objectName: "spokenText"
    Accessible.role: Accessible.AlertMessage
    Accessible.name: speaker.spoken.text
    Component.onCompleted: speaker.spoken.setSpeaker(speaker)
}
