import QtQuick
import Quire
import Quire.Models

/// One sampling setting.
SettingRow {
    id: field

    required property GenerationEditor editor
    required property int index
    required property string name
    required property string valueText
    required property bool isSet
    required property bool isSwitch
    required property bool isWide
    required property bool isAdvanced
    required property bool hasSlider
    required property real number
    required property real from
    required property real to
    required property real step

    required help
    required defaultText
    required problem

    label: field.name
    setting: "sampling" + field.index
    changed: field.isSet
    onResetRequested: field.editor.reset(field.index)

    AppSlider {
        visible: field.hasSlider
        anchors.verticalCenter: parent.verticalCenter
        width: 120
        name: field.label
        from: field.from
        to: field.to
        stepSize: field.step
        value: field.number
        onChosen: value => field.editor.slide(field.index, value)
    }
    ValueBox {
        visible: !field.isSwitch
        width: field.isWide ? 200 : field.hasSlider ? 72 : 120
        name: field.label
        hint: qsTr("none")
        problem: field.problem
        horizontalAlignment: field.isWide ? TextInput.AlignLeft : TextInput.AlignRight
        color: field.isSet ? Theme.ink : Theme.ink2
        stored: field.valueText
        onCommitted: text => field.editor.set(field.index, text)
    }
    AppSwitch {
        visible: field.isSwitch
        name: field.label
        checked: field.number > 0
        onClicked: field.editor.slide(field.index, checked ? 0 : 1)
    }
}
