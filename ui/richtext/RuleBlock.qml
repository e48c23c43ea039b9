import QtQuick
import Quire

/// A line between parts of an answer.
BlockFrame {
    id: block

    required isThought

    gap: 18

    Item {
        width: parent.width
        height: 8

        Rectangle {
            width: parent.width
            height: 1
            color: Theme.line
        }
    }
}
