import QtQuick
import QtQuick.Controls.impl
import Quire

/// One of Quire's icons in a colour of the theme.
IconImage {
    id: icon

    required property string iconName

    width: 20
    height: 20
    sourceSize.width: icon.width
    sourceSize.height: icon.height
    source: Theme.icon(icon.iconName)
    color: Theme.ink2
}
