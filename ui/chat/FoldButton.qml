import QtQuick
import Quire

/// A flat text button inside an answer, such as Show more or Wrap.
BaseButton {
    id: button

    implicitHeight: 24
    leftPadding: 8
    rightPadding: 8
    radius: 6
    focusPolicy: Qt.TabFocus  // A click leaves the focus in the composer.
    Keys.onReturnPressed: button.clicked()
    Keys.onEnterPressed: button.clicked()

    contentItem: Caption {
        verticalAlignment: Text.AlignVCenter
        horizontalAlignment: Text.AlignHCenter
        text: button.text
        color: button.hovered ? Theme.ink : Theme.ink2
        font.pixelSize: Theme.tiny
    }
}
