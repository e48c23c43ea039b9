import QtQuick
import Quire

/// A heading, which screen readers can jump to.
Caption {
    id: heading

    font.weight: Font.DemiBold
    Accessible.role: Accessible.Heading
    Accessible.name: heading.text
}
