import QtQuick
import Quire
import Quire.Models

/// The top bar: the model in use, its device, and the total throughput; beside the chats, their layout too. Pause is
/// there while something can be paused.
Item {
    id: header

    required property ModelLibrary models
    required property Navigation navigation
    required property EngineStatus engine
    required property PaneListModel panes
    required property ChatListModel chats
    required property bool panelPossible
    required property bool panelShown
    required property PauseControl pause
    readonly property bool narrow: header.width < 860
    readonly property bool hasPanes: !header.navigation.isPageOpen
    /// Between the margins, without the buttons.
    readonly property real modelRoom: header.width - 44 - ends.width - (back.visible ? back.width + 12 : 0)

    signal panelToggled()

    implicitHeight: 48

    Row {
        anchors.verticalCenter: parent.verticalCenter
        anchors.left: parent.left
        anchors.leftMargin: 16
        spacing: 12

        PillButton {
            id: back

            objectName: "backToChat"
            visible: header.navigation.isPageOpen
            implicitHeight: 28
            leftPadding: Theme.mirrored ? 14 : 10
            rightPadding: Theme.mirrored ? 10 : 14
            iconName: "left"
            text: qsTr("Back to chat")
            onClicked: header.navigation.closePage()

            Hint { over: back.hovered; held: back.pressed; text: qsTr("Back to chat (Esc)") }
        }
        Chip {
            id: modelChip

            objectName: "modelChip"
            maximumTextWidth: header.narrow ? Math.min(320, header.modelRoom - modelChip.chrome) : 320
            opensMenu: true
            text: header.engine.modelLabel
            hintText: header.engine.modelHint
            onClicked: modelMenu.openBelow(modelChip)

            ModelMenu {
                id: modelMenu

                library: header.models
                chat: header.navigation.currentChat
                onAllWanted: header.navigation.page = Navigation.Models
            }
        }
        SmallText {
            objectName: "deviceText"
            anchors.verticalCenter: parent.verticalCenter
            visible: text !== "" && !header.narrow
            text: header.engine.deviceName
            Accessible.role: Accessible.StaticText
            Accessible.name: text
            Accessible.description: header.engine.deviceHint

            HoverHandler { id: deviceHover }
            Hint { over: deviceHover.hovered; text: header.engine.deviceHint }
        }
    }
    Row {
        id: ends

        anchors.verticalCenter: parent.verticalCenter
        anchors.right: parent.right
        anchors.rightMargin: 16
        spacing: 12

        SmallText {
            anchors.verticalCenter: parent.verticalCenter
            visible: !header.narrow && !header.pause.isPaused
            text: header.engine.throughputText
        }
        Chip {
            anchors.verticalCenter: parent.verticalCenter
            visible: header.pause.isPaused
            active: true
            text: qsTr("Paused")
        }
        IconButton {
            anchors.verticalCenter: parent.verticalCenter
            objectName: "pauseButton"
            visible: header.pause.isPaused || header.chats.isGenerating || header.engine.throughputText !== ""
            iconName: header.pause.isPaused ? "play" : "pause"
            iconSize: 18
            name: header.pause.text
            onClicked: header.pause.toggle()
        }
        PaneSwitch {
            anchors.verticalCenter: parent.verticalCenter
            visible: header.hasPanes
            panes: header.panes
        }
        IconButton {
            objectName: "enginePanelButton"
            anchors.verticalCenter: parent.verticalCenter
            visible: header.panelPossible
            checked: header.panelShown
            iconName: "engine"
            name: header.panelShown ? qsTr("Hide engine panel") : qsTr("Show engine panel")
            onClicked: header.panelToggled()
        }
    }
    Line { anchors.bottom: parent.bottom; width: parent.width }
    Rectangle {
        visible: header.engine.loading
        anchors.left: parent.left
        anchors.bottom: parent.bottom
        width: parent.width * header.engine.progress
        height: 2
        color: Theme.accent
    }
}
