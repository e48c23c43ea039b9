#include "app/personas/preset_list_model.h"

namespace quire {

int PresetListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_presets.size());
}

QVariant PresetListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_presets.size()) return {};
  const PersonaRecord& persona = m_presets[index.row()].persona;
  switch (role) {
    case kPresetId:
      return persona.presetId;
    case kName:
      return persona.name;
    case kDescription:
      return persona.description;
    case kIconName:
      return persona.icon;
    case kColor:
      return persona.color;
    case kIsAdded:
      return m_added.contains(persona.presetId);
    default:
      return {};
  }
}

QHash<int, QByteArray> PresetListModel::roleNames() const {
  return {{kPresetId, "presetId"}, {kName, "name"},        {kDescription, "description"},
          {kIconName, "iconName"}, {kColor, "colorIndex"}, {kIsAdded, "isAdded"}};
}

void PresetListModel::setPresets(const QList<PersonaPreset>& presets) {
  beginResetModel();
  m_presets = presets;
  endResetModel();
}

void PresetListModel::setAdded(const QStringList& presetIds) {
  if (presetIds == m_added) return;
  m_added = presetIds;
  if (rowCount() > 0) emit dataChanged(index(0), index(rowCount() - 1), {kIsAdded});
}

const PersonaRecord* PresetListModel::find(const QString& presetId) const {
  for (const PersonaPreset& preset : m_presets) {
    if (preset.persona.presetId == presetId) return &preset.persona;
  }
  return nullptr;
}

}  // namespace quire
