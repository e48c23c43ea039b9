pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// The content of the search card: the field, the results, and the key hints.
ColumnLayout {
    id: content

    required property QuickOpen quick

    spacing: 0

    QuickOpenField {
        Layout.fillWidth: true
        quick: content.quick
    }
    Line { Layout.fillWidth: true }
    ScrollList {
        id: list

        Layout.fillWidth: true
        Layout.fillHeight: true
        Layout.preferredHeight: list.contentHeight + 16
        Layout.minimumHeight: 0
        visible: list.count > 0
        topMargin: 8
        bottomMargin: 8
        model: content.quick
        currentIndex: content.quick.currentRow
        highlightMoveDuration: 0
        cacheBuffer: 0  // Rows that are being made ahead would be warned of when the list shrinks.
        Accessible.name: qsTr("Results")

        delegate: QuickOpenRow {
            width: list.width
            quick: content.quick
        }
    }
    Caption {
        Layout.fillWidth: true
        Layout.margins: 24
        visible: text !== ""
        horizontalAlignment: Text.AlignHCenter
        text: content.quick.emptyText
        color: Theme.ink2
        wrapMode: Text.Wrap
    }
    QuickOpenFoot {
        Layout.fillWidth: true
        quick: content.quick
    }
}
