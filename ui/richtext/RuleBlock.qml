import QtQuick
import Quire

/// A horizontal rule.
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
