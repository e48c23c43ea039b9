import QtQuick
import Quire

/// A line of text with the matches in bold. Only view models that escape it may fill it.
Caption {
    textFormat: Text.StyledText
    maximumLineCount: 1
}
