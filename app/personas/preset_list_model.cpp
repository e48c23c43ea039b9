#include "app/personas/preset_list_model.h"

namespace quire {

PresetListModel::PresetListModel(QObject* parent) : RoleListModel(parent) {
  const auto of = [this](auto member) {
    return [this, member](int row) -> QVariant { return m_presets[row].persona.*member; };
  };
  setRoles({{kPresetId, "presetId", of(&PersonaRecord::presetId)},
            {kName, "name", of(&PersonaRecord::name)},
            {kDescription, "description", of(&PersonaRecord::description)},
            {kIconName, "iconName", of(&PersonaRecord::icon)},
            {kColor, "colorIndex", of(&PersonaRecord::color)},
            {kIsAdded, "isAdded",
             [this](int row) { return m_added.contains(m_presets[row].persona.presetId); }}});
}

void PresetListModel::setPresets(const QList<PersonaPreset>& presets) {
  beginResetModel();
  m_presets = presets;
  endResetModel();
}

void PresetListModel::setAdded(const QStringList& presetIds) {
  if (presetIds == m_added) return;
  m_added = presetIds;
  announceRows({kIsAdded});
}

const PersonaRecord* PresetListModel::find(const QString& presetId) const {
  for (const PersonaPreset& preset : m_presets) {
    if (preset.persona.presetId == presetId) return &preset.persona;
  }
  return nullptr;
}

}  // namespace quire
