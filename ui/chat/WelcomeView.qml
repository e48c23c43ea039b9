pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// An empty chat: choice of a persona, or of several for as many chats, and suggestions.
ScrollArea {
    id: welcome

    required property ChatModel chat
    required property EngineStatus engine
    required property FirstRun firstRun
    required property PersonaListModel personas
    required property bool isLow  ///< There is no room for summaries and suggestions.
    readonly property real columnWidth: Math.min(Theme.columnWidth, welcome.width - 2 * Theme.margin)

    contentHeight: Math.max(welcome.height, column.implicitHeight + (welcome.isLow ? 16 : 48))

    ColumnLayout {
        id: column

        anchors.centerIn: parent
        width: welcome.columnWidth
        spacing: 0

        PageTitle {
            Layout.fillWidth: true
            title: qsTr("Start a chat")
            titleSize: welcome.isLow ? Theme.large : Theme.display
            subtitle: welcome.isLow ? "" : welcome.chat.introduction
        }
        FirstRunPersonas {
            visible: welcome.firstRun.isPicking
            Layout.topMargin: 28
            Layout.fillWidth: true
            run: welcome.firstRun
        }
        TinyText {
            visible: welcome.firstRun.picksOne
            Layout.topMargin: welcome.isLow ? 10 : 28
            text: qsTr("Choose a persona")
            font.weight: Font.DemiBold
        }
        GridLayout {
            visible: welcome.firstRun.picksOne
            Layout.topMargin: 10
            Layout.fillWidth: true
            columns: welcome.columnWidth > 480 ? 3 : 2
            columnSpacing: 10
            rowSpacing: 10

            Repeater {
                model: welcome.personas

                PersonaCard {
                    required property double personaId

                    Layout.fillWidth: true
                    Layout.preferredWidth: 1
                    isCompact: welcome.isLow
                    checked: welcome.chat.personaId === personaId
                    onClicked: welcome.chat.togglePersona(personaId)
                }
            }
        }
        PillButton {
            objectName: "pickSeveral"
            visible: welcome.firstRun.canPick
            Layout.topMargin: 10
            text: qsTr("Ask several personas at once")
            onClicked: welcome.firstRun.pick()
        }
        TinyText {
            visible: welcome.firstRun.picksOne && !welcome.isLow
            Layout.topMargin: 24
            text: qsTr("Try asking")
            font.weight: Font.DemiBold
        }
        Flow {
            visible: welcome.firstRun.picksOne && !welcome.isLow
            Layout.topMargin: 10
            Layout.fillWidth: true
            spacing: 8

            Repeater {
                model: welcome.firstRun.examplePrompts

                PillButton {
                    required property string modelData

                    text: modelData
                    Accessible.name: qsTr("Ask: %1").arg(modelData)
                    enabled: welcome.chat.isReady
                    onClicked: welcome.chat.composer.sendText(modelData)
                }
            }
        }
    }
}
