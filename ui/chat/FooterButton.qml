import Quire

/// A button with a word in an answer's footer.
PillButton {
    implicitHeight: 24
    leftPadding: 10
    rightPadding: 10
}
