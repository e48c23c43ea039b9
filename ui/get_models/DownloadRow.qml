import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A download: how far it is, why it does not go on, and what can be done with it.
CardFrame {
    id: row

    required property DownloadList downloads
    required property real downloadId
    required property string title
    required property string progressText
    required property string problem
    required property real share
    required property bool canPause
    required property bool canResume
    required property bool canRetry
    required property bool canMoveUp
    required property bool needsToken
    required property bool isFailed
    required property bool isDone
    required property bool isNext

    implicitHeight: column.height + 24
    border.color: row.isFailed ? Theme.warning : Theme.line
    Accessible.role: row.isDone ? Accessible.Grouping : Accessible.ProgressBar
    Accessible.name: row.title
    Accessible.description: row.problem === "" ? row.progressText : row.problem

    Column {
        id: column

        anchors.left: parent.left
        anchors.leftMargin: 14
        y: 12
        width: parent.width - 24
        spacing: 8

        RowLayout {
            width: parent.width
            spacing: 6

            Column {
                Layout.fillWidth: true
                spacing: 3

                Caption {
                    width: parent.width
                    text: row.title
                    font.weight: Font.DemiBold
                    elide: Text.ElideMiddle
                }
                SmallText {
                    objectName: "downloadText"
                    width: parent.width
                    text: row.progressText
                }
            }
            IconButton {
                objectName: "downloadUp"
                visible: row.canMoveUp
                width: 32
                height: 32
                iconName: "up"
                name: qsTr("Download %1 earlier").arg(row.title)
                onClicked: row.downloads.moveUp(row.downloadId)
            }
            ActionButton {
                objectName: "downloadPause"
                visible: row.canPause
                text: qsTr("Pause")
                onClicked: row.downloads.pause(row.downloadId)
            }
            ActionButton {
                objectName: "downloadToken"
                visible: row.needsToken
                text: qsTr("Add a token")
                onClicked: row.downloads.enterToken(row.downloadId)
            }
            ActionButton {
                objectName: "downloadContinue"
                visible: row.canResume || row.canRetry
                text: row.canRetry ? qsTr("Try again") : qsTr("Continue")
                onClicked: row.downloads.resume(row.downloadId)
            }
            ActionButton {
                objectName: "downloadLoad"
                visible: row.isDone
                primary: row.isNext
                text: qsTr("Load")
                hintText: qsTr("New messages go to this model")
                onClicked: row.downloads.load(row.downloadId)
            }
            IconButton {
                objectName: "downloadCancel"
                width: 32
                height: 32
                iconName: "close"
                name: row.isDone ? qsTr("Remove %1 from this list").arg(row.title) : qsTr("Cancel the download of %1").arg(row.title)
                onClicked: row.isDone ? row.downloads.dismiss(row.downloadId) : row.downloads.cancel(row.downloadId)
            }
        }
        MeterBar {
            anchors.left: parent.left
            visible: !row.isDone
            width: parent.width - 4
            height: 6
            leastWidth: 6
            tone: row.canPause ? Theme.accent : Theme.ink3
            value: row.share
        }
        Sentence { anchors.left: parent.left; width: parent.width - 4; text: row.problem; warns: true }
    }
}
