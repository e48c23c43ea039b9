import QtQuick
import Quire

/// The privacy statement.
SettingsCard {
    heading: qsTr("Privacy")

    Caption {
        width: parent.width
        text: qsTr("Nothing you write leaves this computer. Models run here, chats are stored here, and Quire makes no "
            + "connections: no statistics, no update checks. Links in answers open in your browser, after you agree.")
        wrapMode: Text.Wrap
        lineRatio: 1.75
    }
}
