import QtQuick
import QtQuick.Controls.Basic
import Quire

/// A list that scrolls up and down.
ListView {
    boundsBehavior: Flickable.StopAtBounds
    clip: true
    Accessible.role: Accessible.List
    ScrollBar.vertical: ScrollMark {}
}
