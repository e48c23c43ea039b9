import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Controls
import QtQuick.Layouts
import Quire

/// A sheet at the right edge of the window: title, scrolling content, and actions at the bottom.
Popup {
    id: sheet

    required property string title
    property string iconName: ""
    property color iconColor: Theme.ink2
    property bool shown: false
    default property alias content: body.data
    property alias footer: foot.data

    parent: Overlay.overlay
    x: parent ? parent.width - width : 0
    height: parent ? parent.height : 0
    width: parent ? Math.min(560, parent.width) : 0
    padding: 0
    // While it fades it is out of the way already: what is pressed then is meant for the window.
    modal: !fade.running
    closePolicy: fade.running ? Popup.NoAutoClose : Popup.CloseOnEscape | Popup.CloseOnPressOutside
    onShownChanged: sheet.shown ? sheet.open() : sheet.close()
    focus: true
    Overlay.modal: Rectangle { color: Theme.scrim }
    enter: Transition {
        NumberAnimation { property: "opacity"; from: 0; to: 1; duration: Theme.motion; easing.type: Easing.OutCubic }
    }
    exit: Transition {
        id: fade

        NumberAnimation { property: "opacity"; to: 0; duration: Theme.motion }
    }
    background: Rectangle {
        color: Theme.background

        Rectangle { width: 1; height: parent.height; color: Theme.line }
    }

    contentData: ColumnLayout {
        anchors.fill: parent
        spacing: 0
        Accessible.role: Accessible.Dialog
        Accessible.name: sheet.title

        RowLayout {
            Layout.fillWidth: true
            Layout.leftMargin: 24
            Layout.rightMargin: 16
            Layout.preferredHeight: 64
            spacing: 10

            Icon {
                visible: sheet.iconName !== ""
                Layout.preferredWidth: 20
                Layout.preferredHeight: 20
                iconName: sheet.iconName === "" ? "check" : sheet.iconName
                color: sheet.iconColor
            }
            Caption {
                Layout.fillWidth: true
                text: sheet.title
                font.pixelSize: Theme.large
                font.weight: Font.DemiBold
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            IconButton {
                iconName: "close"
                name: qsTr("Close")
                onClicked: sheet.close()
            }
        }
        Rectangle { Layout.fillWidth: true; Layout.preferredHeight: 1; color: Theme.line }
        Flickable {
            id: flick

            Layout.fillWidth: true
            Layout.fillHeight: true
            contentHeight: body.implicitHeight + 48
            boundsBehavior: Flickable.StopAtBounds
            clip: true
            ScrollBar.vertical: ScrollMark {}

            FocusScroll { view: flick }

            Column {
                id: body

                x: 24
                y: 24
                width: parent.width - 48
                spacing: 20
            }
        }
        Rectangle { visible: foot.visible; Layout.fillWidth: true; Layout.preferredHeight: 1; color: Theme.line }
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
}
