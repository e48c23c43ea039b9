import QtQuick
import QtQuick.Layouts
import Quire

/// A question to a hub that runs: whom it asks, and Cancel.
RowLayout {
    id: progress

    required property string text
    readonly property bool hasFocus: stop.activeFocus

    signal cancelled()

    function takeFocus(reason: int): void {
        stop.forceActiveFocus(reason);
    }

    spacing: 10
    Accessible.role: Accessible.Grouping
    Accessible.name: progress.text

    ActivityMark { running: progress.visible }
    SmallText {
        objectName: "hubProgressText"
        Layout.fillWidth: true
        text: progress.text
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    ActionButton {
        id: stop

        objectName: "hubCancel"
        text: qsTr("Cancel")
        Keys.onReturnPressed: progress.cancelled()
        Keys.onEnterPressed: progress.cancelled()
        onClicked: progress.cancelled()
    }
}
