pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// The downloads on the Models page; more than three scroll.
Column {
    id: strip

    required property DownloadList downloads

    visible: strip.downloads.count > 0
    spacing: 8

    Heading {
        width: parent.width
        text: qsTr("Downloads")
        color: Theme.ink2
        font.pixelSize: Theme.small
    }
    ScrollList {
        id: list

        objectName: "downloadList"
        width: parent.width
        height: Math.min(contentHeight, 252)
        spacing: 8
        model: strip.downloads
        Accessible.name: qsTr("Downloads")

        delegate: DownloadRow {
            width: list.width
            downloads: strip.downloads
        }
    }
    CancelDownloadCard { downloads: strip.downloads }
}
