import QtQuick
import QtQuick.Controls.Basic
import Quire

/// An area that scrolls up and down.
Flickable {
    boundsBehavior: Flickable.StopAtBounds
    clip: true
    ScrollBar.vertical: ScrollMark {}
}
