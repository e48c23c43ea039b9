import QtQuick
import Quire

/// A heading between chats: Today, Yesterday, Earlier.
Caption {
    height: 34
    leftPadding: 8
    bottomPadding: 6
    verticalAlignment: Text.AlignBottom
    color: Theme.ink2
    font.pixelSize: Theme.tiny
    font.weight: Font.DemiBold
    Accessible.role: Accessible.Heading
    Accessible.name: text
}
