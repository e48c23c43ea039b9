import QtQuick
import QtQuick.Controls.Basic
import Quire
import Quire.Models

/// A multi-line text field with a frame; scrolls when it is full. Until then the wheel scrolls what
/// it stands in.
ScrollView {
    id: box

    readonly property bool isFull: area.contentHeight + area.topPadding + area.bottomPadding > box.height

    required property string name
    property alias text: area.text
    property string hint: ""

    signal edited(string text)

    implicitHeight: 220
    clip: true
    contentWidth: availableWidth
    wheelEnabled: box.isFull
    ScrollBar.vertical: ScrollMark {
        parent: box
        x: Theme.mirrored ? 2 : box.width - width - 2
        y: 4
        height: box.height - 8
    }

    Binding {
        target: box.contentItem
        property: "interactive"
        value: box.isFull
    }

    background: Rectangle {
        radius: Theme.rowRadius
        color: Theme.surface
        border.width: area.activeFocus ? Theme.focusWidth : 1
        border.color: area.activeFocus ? Theme.accent : Theme.line
    }

    TextArea {
        id: area

        readonly property PlainPlaceholder plainHint: PlainPlaceholder { field: area }
        readonly property bool isEmpty: area.length === 0
        readonly property ParagraphDirection direction: ParagraphDirection { field: area }

        width: box.availableWidth
        leftPadding: Theme.mirrored ? 14 : 12
        rightPadding: Theme.mirrored ? 12 : 14
        topPadding: 10
        bottomPadding: 10
        // The cursor of an empty field stands at its hint; texts stand where they begin.
        horizontalAlignment: area.isEmpty ? TextEdit.AlignLeft : undefined
        wrapMode: TextEdit.Wrap
        color: Theme.ink
        placeholderText: box.hint
        placeholderTextColor: Theme.ink2
        selectionColor: Theme.selection
        selectedTextColor: Theme.ink
        selectByMouse: true
        font.family: Theme.sans
        font.pixelSize: Theme.text
        background: null
        Accessible.name: box.name
        onTextChanged: area.activeFocus && box.edited(area.text)
        Keys.onTabPressed: area.nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
        Keys.onBacktabPressed: area.nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
    }
}
