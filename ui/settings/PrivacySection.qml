import QtQuick
import Quire

/// What leaves this computer: nothing.
SettingsCard {
    heading: qsTr("Privacy")

    Caption {
        width: parent.width
        text: qsTr("Nothing you write leaves this computer. Models run here, chats are kept here, and Quire opens no "
            + "connection: it sends no statistics and looks for no updates. Links in answers open only after you agreed, "
            + "in your browser.")
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        lineRatio: 1.75
    }
}
