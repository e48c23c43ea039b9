pragma Singleton
import QtQuick
import Quire.Models

/// Colours, type, spacing and motion. All components take their values from here.
QtObject {
    id: theme

    /// "system", "light" or "dark".
    property string choice: "system"
    property bool reducedMotion: theme.system.reducedMotion
    readonly property SystemAppearance system: SystemAppearance {}
    readonly property bool dark: choice === "dark" || (choice === "system" && theme.system.dark)

    /// The window is laid out from right to left.
    readonly property bool mirrored: theme.system.rightToLeft

    readonly property color background: dark ? "#171614" : "#FBFAF7"
    readonly property color surface: dark ? "#1F1D1B" : "#FFFFFF"
    readonly property color side: dark ? "#1B1A18" : "#F3F1EB"
    readonly property color ink: dark ? "#ECE8E0" : "#211F1B"
    readonly property color ink2: dark ? "#A8A298" : "#6A655C"
    readonly property color ink3: dark ? "#766F65" : "#8C867B"
    readonly property color line: dark ? "#2F2C28" : "#E6E2D9"
    readonly property color accent: dark ? "#4FC3A8" : "#0E7C66"
    readonly property color accentHover: dark ? "#66CFB7" : "#0B6B58"
    readonly property color accentInk: dark ? "#10211C" : "#FFFFFF"
    readonly property color bubble: dark ? "#292622" : "#F1EFE8"
    readonly property color code: dark ? "#131211" : "#F6F4EE"
    readonly property color warning: dark ? "#E6A15C" : "#B45309"
    readonly property color warm: dark ? "#E8C04A" : "#B0820A"
    readonly property color hover: dark ? "#0FFFFFFF" : "#0A000000"
    readonly property color selection: dark ? "#594FC3A8" : "#400E7C66"
    /// Below selected text. Opaque, because Qt paints it twice where a tall formula is in the text.
    readonly property color textSelection: Qt.tint(background, selection)
    /// The row of a list that is current; a bar in the accent's colour stands at its edge.
    readonly property color selected: dark ? "#34312C" : "#E9E5DB"
    /// Lies over the matches of a search, so that it must leave their text readable.
    readonly property color findMark: dark ? "#4DE8C04A" : "#59F2C230"
    readonly property color findCurrent: dark ? "#8CEC9560" : "#8CF08A24"
    readonly property color scrim: dark ? "#99000000" : "#4D211F1B"
    readonly property list<color> chatColors: dark
        ? ["#4FC3A8", "#7FA8F5", "#EC9560", "#BD93E8"]
        : ["#0E7C66", "#3B6FD8", "#C2571A", "#8A4FBF"]
    readonly property color blockFree: dark ? "#3A3630" : "#DDD8CC"
    readonly property color blockKept: dark ? "#6E675C" : "#948D80"
    readonly property color blockStored: dark ? "#6B8093" : "#7488A0"
    readonly property color blockShared: dark ? "#E8C04A" : "#B0820A"
    /// Indexed by BlockLook (block_legend.h).
    readonly property list<color> blockColors: [blockFree, blockKept, blockStored, blockShared, ink2,
        chatColors[0], chatColors[1], chatColors[2], chatColors[3]]
    readonly property color codeKeyword: dark ? "#BD93E8" : "#8A4FBF"
    readonly property color codeCall: dark ? "#7FA8F5" : "#2F62C9"
    readonly property color codeLiteral: dark ? "#EC9560" : "#B04C12"

    readonly property string sans: "Inter"
    readonly property string mono: "JetBrains Mono"
    /// The user's choice; 1.1 makes all text 10% larger.
    property real textScale: 1.0
    readonly property int tiny: Math.round(11 * textScale)
    readonly property int small: Math.round(12 * textScale)
    readonly property int label: Math.round(13 * textScale)
    readonly property int text: Math.round(14 * textScale)
    readonly property int large: Math.round(15 * textScale)
    readonly property int display: Math.round(26 * textScale)
    readonly property real textLine: Math.round(22 * textScale)
    readonly property real codeLine: Math.round(20 * textScale)

    readonly property int margin: 20
    /// Around a page, whose title stands at the same place on all of them.
    readonly property int pageMargin: 32
    readonly property int pageWidth: 880
    readonly property int focusWidth: 2
    readonly property int toastHeight: 44
    /// Of dots of eight pixels. 1.5 times two is a whole number of pixels, which the software renderer needs.
    readonly property int dotRadius: 2
    readonly property int rowRadius: 8
    readonly property int cardRadius: 12
    readonly property int bubbleRadius: 14
    /// 76 characters of running text.
    readonly property int columnWidth: Math.round(568 * textScale)

    /// Icons with a direction, which a window from right to left shows mirrored.
    readonly property list<string> directedIcons: ["continue", "fork", "left", "persona-list", "return", "right", "sidebar",
        "split", "undo"]

    readonly property int motion: reducedMotion ? 0 : 150

    function chatColor(index: int): color {
        return theme.chatColors[index % theme.chatColors.length];
    }

    function icon(name: string): url {
        return "qrc:/quire/icons/" + name + ".svg";
    }
}
