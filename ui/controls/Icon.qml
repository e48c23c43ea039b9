import QtQuick
import QtQuick.Controls.impl
import Quire

/// One of Quire's icons in a colour of the theme; none and hidden while the name is empty.
IconImage {
    id: icon

    required property string iconName
    property int size: 20

    visible: icon.iconName !== ""
    width: icon.size
    height: icon.size
    sourceSize.width: icon.size
    sourceSize.height: icon.size
    source: icon.iconName === "" ? "" : Theme.icon(icon.iconName)
    color: Theme.ink2
    mirror: Theme.mirrored && Theme.directedIcons.includes(icon.iconName)
}
