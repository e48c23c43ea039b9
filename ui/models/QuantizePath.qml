import QtQuick
import QtQuick.Layouts
import Quire

/// A path that is typed or chosen in the desktop's dialog.
FieldLabel {
    id: field

    required property string label
    required property string name
    required property string path
    property string problem: ""
    property string boxName: ""

    signal typed(string path)  ///< At each change.
    signal committed(string path)  ///< When editing is finished.
    signal asked()

    text: field.label

    RowLayout {
        width: parent.width
        spacing: 8

        TextBox {
            id: box

            Layout.fillWidth: true
            objectName: field.boxName
            name: field.name
            warns: field.problem !== ""
            onTextEdited: field.typed(box.text)
            onCommitted: text => field.committed(text)

            Binding on text {
                when: !box.activeFocus
                restoreMode: Binding.RestoreNone
                value: field.path
            }
        }
        ActionButton {
            text: qsTr("Choose…")
            onClicked: field.asked()
        }
    }
    Sentence { topPadding: 6; width: parent.width; text: field.problem; warns: true }
}
