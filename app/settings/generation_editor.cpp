#include "app/settings/generation_editor.h"

#include <algorithm>
#include <functional>

#include "app/settings/generation_defaults.h"

namespace quire {
namespace {

/// The layer that can be edited; `Layers` may be const.
template <typename Layers>
auto& layerOf(Layers& layers, SettingsLayer layer) {
  switch (layer) {
    case SettingsLayer::Model:
      return layers.model;
    case SettingsLayer::Persona:
      return layers.persona;
    default:
      return layers.chat;
  }
}

const GenerationField& fieldAt(int row) {
  return generationFields()[static_cast<size_t>(row)];
}

/// A warning about a value that is allowed but rarely useful.
QString cautionOf(const ResolvedSettings& resolved, const GenerationField& field) {
  const bool isHot = field.field == SettingField::Temperature && field.number(resolved) > field.to;
  return isHot ? GenerationEditor::tr("Above 2 the words are almost random.") : QString();
}

}  // namespace

GenerationEditor::GenerationEditor(QObject* parent) : RoleListModel(parent) {
  const auto of = [](auto value) {
    return [value](int row) -> QVariant { return std::invoke(value, fieldAt(row)); };
  };
  const auto problem = [this](int row) {
    const QString& wrong = m_problems[static_cast<size_t>(row)];
    return wrong.isEmpty() ? cautionOf(m_resolved, fieldAt(row)) : wrong;
  };
  using Field = GenerationField;
  setRoles({{kName, "name", of(&Field::nameText)},
            {kHelp, "help", of(&Field::helpText)},
            {kIsSwitch, "isSwitch",
             [](int row) { return fieldAt(row).field == SettingField::ShowReasoning; }},
            {kValueText, "valueText", [this](int row) { return fieldAt(row).textOf(m_resolved); }},
            {kDefaultText, "defaultText", [this](int row) { return defaultText(fieldAt(row)); }},
            {kIsSet, "isSet", [this](int row) { return fieldAt(row).isSetIn(own()); }},
            {kProblem, "problem", problem},
            {kHasSlider, "hasSlider", of(&Field::hasSlider)},
            {kNumber, "number", [this](int row) { return fieldAt(row).number(m_resolved); }},
            {kFrom, "from", of(&Field::from)},
            {kTo, "to", of(&Field::to)},
            {kStep, "step", of(&Field::step)},
            {kIsWide, "isWide", [](int row) { return fieldAt(row).field == SettingField::Stop; }},
            {kIsAdvanced, "isAdvanced", of(&Field::isAdvanced)}});
}

void GenerationEditor::show(SettingsLayer layer, const SettingsLayers& layers,
                            const QString& modelName, const QString& personaName) {
  m_layer = layer;
  m_problems.fill({});
  refresh(layers, modelName, personaName);
}

void GenerationEditor::refresh(const SettingsLayers& layers, const QString& modelName,
                               const QString& personaName) {
  m_layers = layers;
  m_modelName = modelName;
  m_personaName = personaName;
  apply();
}

const GenerationSettings& GenerationEditor::own() const {
  return layerOf(m_layers, m_layer);
}

bool GenerationEditor::hasOwn() const {
  GenerationSettings settings = own();
  settings.unknown.clear();
  return settings != GenerationSettings();
}

QString GenerationEditor::summary() const {
  const auto count = std::ranges::count_if(
      generationFields(), [this](const GenerationField& field) { return field.isSetIn(own()); });
  return count == 0 ? tr("Nothing changed") : tr("%n changed", nullptr, static_cast<int>(count));
}

void GenerationEditor::set(int row, const QString& text) {
  if (row < 0 || row >= rowCount()) return;
  const GenerationField& field = fieldAt(row);
  // The unchanged text of a field that only had the focus sets nothing.
  QString& problem = m_problems[static_cast<size_t>(row)];
  if (text == field.textOf(m_resolved)) {
    problem.clear();
    return apply();
  }
  const GenerationSettings before = own();
  problem = field.setFromText(layerOf(m_layers, m_layer), text);
  const bool isChanged = own() != before;
  apply();
  if (isChanged) emit edited();
}

void GenerationEditor::slide(int row, double value) {
  if (row < 0 || row >= rowCount()) return;
  set(row, QString::number(value, 'f', fieldAt(row).decimals));
}

void GenerationEditor::reset(int row) {
  if (row < 0 || row >= rowCount()) return;
  fieldAt(row).unset(layerOf(m_layers, m_layer));
  m_problems[static_cast<size_t>(row)].clear();
  apply();
  emit edited();
}

void GenerationEditor::resetAll() {
  for (const GenerationField& field : generationFields()) field.unset(layerOf(m_layers, m_layer));
  m_problems.fill({});
  apply();
  emit edited();
}

void GenerationEditor::apply() {
  m_resolved = resolve(programSampling(), m_layers);
  announceRows();
  emit changed();
}

/// What would be used without this layer, and where that comes from.
QString GenerationEditor::defaultText(const GenerationField& field) const {
  SettingsLayers below = m_layers;
  field.unset(layerOf(below, m_layer));
  const ResolvedSettings resolved = resolve(programSampling(), below);
  QString value = field.textOf(resolved);
  if (value.isEmpty()) value = tr("none");
  const QString source = sourceName(resolved.originOf(field.field));
  return source.isEmpty() ? tr("Default: %1").arg(value) : tr("Default: %1, %2").arg(value, source);
}

QString GenerationEditor::sourceName(SettingsLayer layer) const {
  switch (layer) {
    case SettingsLayer::ModelFile:
      return tr("from the model's files");
    case SettingsLayer::Model:
      return m_modelName.isEmpty() ? tr("from the model's settings")
                                   : tr("from the settings of %1").arg(m_modelName);
    case SettingsLayer::Persona:
      return m_personaName.isEmpty() ? tr("from the persona")
                                     : tr("from the persona %1").arg(m_personaName);
    default:
      return {};
  }
}

}  // namespace quire
