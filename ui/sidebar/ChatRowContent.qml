pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire

/// The content of a chat's row: colour, name or rename field, and at the right its state, date or menu button.
RowLayout {
    id: content

    required property string title
    required property color dotColor
    required property string timeText
    required property bool isGenerating
    required property bool isUnread
    required property bool isFork
    required property bool renaming
    required property bool moreShown

    signal renamed(string title)
    signal renameEnded()
    signal moreRequested()

    spacing: 8

    Dot { color: content.dotColor }
    Icon {
        objectName: "forkMark"
        visible: content.isFork && !content.renaming
        size: 12
        Layout.rightMargin: -2
        iconName: "fork"
    }
    Caption {
        objectName: "chatRowTitle"
        visible: !content.renaming
        Layout.fillWidth: true
        text: content.title
        lineHeightMode: Text.FixedHeight
        lineHeight: Math.round(18 * Theme.textScale)
        font.weight: content.isUnread ? Font.DemiBold : Font.Normal
    }
    Repeater {
        model: content.renaming ? 1 : 0

        RenameField {
            Layout.fillWidth: true
            Layout.leftMargin: -6
            title: content.title
            onRenamed: title => content.renamed(title)
            onDone: content.renameEnded()
        }
    }
    ActivityMark {
        visible: content.isGenerating && !content.moreShown
        color: content.dotColor
    }
    Dot {
        visible: content.isUnread && !content.isGenerating && !content.moreShown
        radius: 4
        color: Theme.accent
    }
    TinyText {
        visible: !content.isGenerating && !content.isUnread && !content.moreShown && !content.renaming
        text: content.timeText
    }
    IconButton {
        visible: content.moreShown && !content.renaming
        Layout.preferredWidth: 24
        Layout.preferredHeight: 24
        Layout.rightMargin: -4
        iconName: "more"
        name: qsTr("Chat menu")
        focusPolicy: Qt.NoFocus
        onClicked: content.moreRequested()
    }
}
