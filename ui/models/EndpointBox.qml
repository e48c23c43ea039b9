import QtQuick
import Quire

/// A text field that shows a value of C++ again when it changes there.
TextBox {
    id: box

    required property string stored

    Binding on text {
        when: !box.activeFocus
        restoreMode: Binding.RestoreNone
        value: box.stored
    }
}
