#include "app/settings/generation_editor.h"

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

/// Of a value that is allowed, and that few want.
QString cautionOf(const ResolvedSettings& resolved, SettingField field) {
  const bool isHot = field == SettingField::Temperature &&
                     numberOf(resolved, field) > describe(SettingField::Temperature).to;
  return isHot ? GenerationEditor::tr("Above 2 the words come almost by chance.") : QString();
}

}  // namespace

int GenerationEditor::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shownFields().size());
}

QVariant GenerationEditor::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const SettingField field = shownFields()[index.row()];
  const GenerationField words = describe(field);
  switch (role) {
    case kName:
      return words.name;
    case kHelp:
      return words.help;
    case kKind:
      return static_cast<int>(words.kind);
    case kIsSwitch:
      return words.kind == GenerationField::Kind::Switch;
    case kValueText:
      return textOf(m_resolved, field);
    case kDefaultText:
      return defaultText(field);
    case kIsSet:
      return !textOf(own(), field).isEmpty() || (field == SettingField::Stop && own().stop);
    case kProblem:
      return index.row() == m_problemRow ? m_problem : cautionOf(m_resolved, field);
    case kHasSlider:
      return words.to > words.from;
    case kNumber:
      return numberOf(m_resolved, field);
    case kFrom:
      return words.from;
    case kTo:
      return words.to;
    case kStep:
      return words.step;
    case kIsWide:
      return words.kind == GenerationField::Kind::Text;
    default:
      return {};
  }
}

QHash<int, QByteArray> GenerationEditor::roleNames() const {
  return {{kName, "name"},         {kHelp, "help"},           {kKind, "kind"},
          {kIsSwitch, "isSwitch"}, {kValueText, "valueText"}, {kDefaultText, "defaultText"},
          {kIsSet, "isSet"},       {kProblem, "problem"},     {kHasSlider, "hasSlider"},
          {kNumber, "number"},     {kFrom, "from"},           {kTo, "to"},
          {kStep, "step"},         {kIsWide, "isWide"}};
}

void GenerationEditor::show(SettingsLayer layer, const SettingsLayers& layers,
                            const QString& modelName, const QString& personaName) {
  m_layer = layer;
  m_layers = layers;
  m_modelName = modelName;
  m_personaName = personaName;
  apply(-1, {});
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
  int count = 0;
  for (int row = 0; row < rowCount(); ++row) count += data(index(row), kIsSet).toBool() ? 1 : 0;
  if (count == 0) return tr("Nothing is changed here");
  return count == 1 ? tr("1 is changed here") : tr("%1 are changed here").arg(count);
}

void GenerationEditor::set(int row, const QString& text) {
  if (row < 0 || row >= rowCount()) return;
  const SettingField field = shownFields()[row];
  // What is shown there already is not a decision: the field was only visited.
  if (text == textOf(m_resolved, field)) return apply(-1, {});
  const GenerationSettings before = own();
  const QString problem = setFromText(layerOf(m_layers, m_layer), field, text);
  const bool isChanged = own() != before;
  apply(row, problem);
  if (isChanged) emit edited();
}

void GenerationEditor::slide(int row, double value) {
  if (row < 0 || row >= rowCount()) return;
  set(row, QString::number(value, 'f', describe(shownFields()[row]).decimals));
}

void GenerationEditor::reset(int row) {
  if (row < 0 || row >= rowCount()) return;
  unset(layerOf(m_layers, m_layer), shownFields()[row]);
  apply(-1, {});
  emit edited();
}

void GenerationEditor::resetAll() {
  for (const SettingField field : shownFields()) unset(layerOf(m_layers, m_layer), field);
  apply(-1, {});
  emit edited();
}

void GenerationEditor::apply(int row, const QString& problem) {
  m_problemRow = problem.isEmpty() ? -1 : row;
  m_problem = problem;
  m_resolved = resolve(programSampling(), m_layers);
  emit dataChanged(index(0), index(rowCount() - 1));
  emit changed();
}

/// What would be used without this layer, and who says so.
QString GenerationEditor::defaultText(SettingField field) const {
  SettingsLayers below = m_layers;
  unset(layerOf(below, m_layer), field);
  const ResolvedSettings resolved = resolve(programSampling(), below);
  QString value = textOf(resolved, field);
  if (value.isEmpty()) value = tr("none");
  const QString source = sourceName(resolved.originOf(field));
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
