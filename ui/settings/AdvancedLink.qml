import QtQuick
import Quire

/// Unfolds the advanced settings above it, and folds them again.
TextLink {
    id: link

    required property bool open

    text: link.open ? qsTr("Hide advanced settings") : qsTr("Show advanced settings")
    Accessible.checkable: true
    Accessible.checked: link.open
}
