pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// An empty chat: choice of persona and suggestions.
ScrollArea {
    id: welcome

    required property ChatModel chat
    required property EngineStatus engine
    required property FirstRun firstRun
    required property PersonaListModel personas
    readonly property real columnWidth: Math.min(Theme.columnWidth, welcome.width - 2 * Theme.margin)

    contentHeight: Math.max(welcome.height, column.implicitHeight + 48)

    ColumnLayout {
        id: column

        anchors.centerIn: parent
        width: welcome.columnWidth
        spacing: 0

        PageTitle {
            Layout.fillWidth: true
            title: qsTr("Start a chat")
            subtitle: welcome.chat.introduction
        }
        TinyText {
            Layout.topMargin: 28
            text: qsTr("Choose a persona")
            font.weight: Font.DemiBold
        }
        GridLayout {
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
                    checked: welcome.chat.personaId === personaId
                    onClicked: welcome.chat.togglePersona(personaId)
                }
            }
        }
        TinyText {
            Layout.topMargin: 24
            text: qsTr("Try asking")
            font.weight: Font.DemiBold
        }
        Flow {
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
