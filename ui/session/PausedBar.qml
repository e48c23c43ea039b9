import QtQuick
import Quire
import Quire.Models

/// Shown while nothing can be written to disk: the reason, and Try now.
Rectangle {
    id: bar

    required property StoreStatus store

    objectName: "pausedBar"
    visible: bar.store.pauseReason !== ""
    height: bar.visible ? Math.max(44, words.implicitHeight + 20) : 0
    color: Theme.bubble
    Accessible.role: Accessible.AlertMessage
    Accessible.name: words.text

    Icon {
        id: sign

        anchors.left: parent.left
        anchors.leftMargin: 16
        y: 13
        size: 18
        iconName: "warning"
        color: Theme.warning
    }
    Caption {
        id: words

        anchors.verticalCenter: parent.verticalCenter
        anchors.left: sign.right
        anchors.leftMargin: 10
        anchors.right: again.left
        anchors.rightMargin: 16
        text: qsTr("%1 Nothing is lost. Quire resumes automatically.").arg(bar.store.pauseReason)
        wrapMode: Text.Wrap
        elide: Text.ElideRight
        maximumLineCount: 3
        lineRatio: 1.55
    }
    ActionButton {
        id: again

        objectName: "tryWritingNow"
        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        anchors.rightMargin: 16
        implicitHeight: 28
        text: qsTr("Try now")
        onClicked: bar.store.retryWriting()
    }
    Line { anchors.bottom: parent.bottom; width: parent.width }
}
