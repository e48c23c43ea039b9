import QtQuick
import Quire
import Quire.Models

/// One default for loading models.
SettingRow {
    id: field

    required property EngineSettings settings
    required property int index
    required property string name
    required property string unit
    required property string valueText
    required property bool isSet
    required property list<string> choices
    required property int choiceIndex

    required help
    required defaultText
    required problem

    label: field.name
    setting: "engine" + field.index
    changed: field.isSet
    onResetRequested: field.settings.reset(field.index)

    AppComboBox {
        objectName: "engineChoice" + field.index
        visible: field.choices.length > 0
        width: box.width
        name: field.label
        model: field.choices
        currentIndex: field.choiceIndex
        // A change of the language replaces the model, which resets the index.
        onModelChanged: currentIndex = Qt.binding(() => field.choiceIndex)
        onChosen: index => field.settings.choose(field.index, index)
    }
    ValueBox {
        id: box

        objectName: "engineSetting" + field.index
        visible: field.choices.length === 0
        width: 132
        name: field.unit === "" ? field.label : qsTr("%1 in %2").arg(field.label).arg(field.unit)
        hint: qsTr("automatic")
        stored: field.valueText
        unit: field.unit
        problem: field.problem
        onCommitted: text => field.settings.set(field.index, text)
    }
}
