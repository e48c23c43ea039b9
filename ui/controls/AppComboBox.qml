pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A drop-down list of strings. `chosen` is emitted when the user picks one.
ComboBox {
    id: select

    required property string name

    signal chosen(int index)

    implicitHeight: 34
    implicitWidth: 200
    leftPadding: Theme.mirrored ? 32 : 12
    rightPadding: Theme.mirrored ? 12 : 32
    font.family: Theme.sans
    font.pixelSize: Theme.label
    Accessible.name: select.name
    onActivated: index => select.chosen(index)

    contentItem: Caption {
        verticalAlignment: Text.AlignVCenter
        text: select.displayText
        opacity: select.enabled ? 1 : 0.55
    }
    indicator: Icon {
        x: Theme.mirrored ? 10 : select.width - width - 10
        y: (select.height - height) / 2
        iconName: "down"
        size: 14
    }
    background: Rectangle {
        radius: Theme.rowRadius
        color: select.hovered ? Theme.hover : Theme.surface
        border.color: Theme.line

        FocusFrame { shown: select.visualFocus; radius: Theme.rowRadius + 2 }
    }
    delegate: AppMenuItem {
        required property int index
        required property string modelData

        width: ListView.view.width
        text: modelData
        checked: select.currentIndex === index
        highlighted: select.highlightedIndex === index
    }
    popup: Popup {
        x: Theme.mirrored ? select.width - width : 0
        y: select.height + 4
        width: Math.max(select.width, 200)
        implicitHeight: Math.min(contentItem.implicitHeight + 12, 320)
        padding: 6

        contentItem: ListView {
            clip: true
            implicitHeight: contentHeight
            model: select.popup.visible ? select.delegateModel : null
            currentIndex: select.highlightedIndex
            ScrollBar.vertical: ScrollMark {}
        }
        background: CardFrame {}
    }
}
