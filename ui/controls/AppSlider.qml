import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A slider. `chosen` is emitted when the handle is released or a key moved it.
Slider {
    id: slider

    required property string name
    property bool isMoved: false  // By the pointer or a key, and `chosen` was not emitted yet.

    signal chosen(real value)

    function settle(): void {
        if (slider.pressed || !slider.isMoved)
            return;
        slider.isMoved = false;
        slider.chosen(slider.value);
    }

    implicitHeight: 28
    implicitWidth: 160
    snapMode: Slider.SnapAlways
    Accessible.name: slider.name
    onMoved: slider.isMoved = true
    onPressedChanged: slider.settle()
    onActiveFocusChanged: slider.settle()
    Keys.onReleased: slider.settle()

    background: Rectangle {
        x: slider.leftPadding
        y: slider.topPadding + slider.availableHeight / 2 - height / 2
        width: slider.availableWidth
        height: 4
        radius: 2
        color: Theme.line

        Rectangle {
            anchors.left: parent.left
            width: slider.position * parent.width
            height: parent.height
            radius: 2
            color: Theme.accent
        }
    }
    handle: Rectangle {
        x: slider.leftPadding + slider.visualPosition * (slider.availableWidth - width)
        y: slider.topPadding + slider.availableHeight / 2 - height / 2
        width: 16
        height: 16
        radius: 8
        color: Theme.surface
        border.width: 2
        border.color: slider.pressed || slider.hovered ? Theme.accentHover : Theme.accent

        FocusFrame { shown: slider.visualFocus; radius: 10 }
    }
}
