import QtQuick
import QtQuick.Layouts
import Quire

/// A sheet with scrolling content and actions at the bottom.
SheetFrame {
    id: sheet

    property bool shown: false
    default property alias rows: column.data
    property alias footer: foot.data

    onShownChanged: sheet.shown ? sheet.open() : sheet.close()

    ScrollArea {
        id: flick

        Layout.fillWidth: true
        Layout.fillHeight: true
        contentHeight: column.implicitHeight + 48

        FocusScroll { view: flick }

        Column {
            id: column

            x: 24
            y: 24
            width: parent.width - 48
            spacing: 20
        }
    }
    Line { visible: foot.visible; Layout.fillWidth: true }
    ColumnLayout {
        id: foot

        visible: children.length > 0
        Layout.fillWidth: true
        Layout.margins: visible ? 16 : 0
        Layout.leftMargin: 24
        Layout.rightMargin: 24
        spacing: 12
    }
}
