import QtQuick
import Quire.Models

/// What screen readers are told of the answer that is being written; nothing to be seen.
Item {
    id: speaker

    required property SpokenAnswer spoken

    objectName: "spokenText"
    Accessible.role: Accessible.AlertMessage
    Accessible.name: speaker.spoken.text
    Component.onCompleted: speaker.spoken.setSpeaker(speaker)
}
