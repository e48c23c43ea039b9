import QtQuick
import Quire

/// A line of one pixel, horizontal or vertical.
Rectangle {
    implicitWidth: 1
    implicitHeight: 1
    color: Theme.line
}
