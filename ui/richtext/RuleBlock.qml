import QtQuick
import Quire

/// A horizontal rule.
BlockFrame {
    gap: 18

    Item {
        width: parent.width
        height: 8

        Line { width: parent.width }
    }
}
