#pragma once

#include <QtQml/qqmlregistration.h>

#include "app/personas/persona_presets.h"
#include "app/role_list_model.h"

namespace quire {

/// The personas that come with Quire, to choose from.
/// Thread: the window's.
class PresetListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")

 public:
  enum Role { kPresetId = Qt::UserRole + 1, kName, kDescription, kIconName, kColor, kIsAdded };

  explicit PresetListModel(QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_presets.size()); }

  void setPresets(const QList<PersonaPreset>& presets);
  /// Ids of presets of which there is a persona already.
  void setAdded(const QStringList& presetIds);
  const QList<PersonaPreset>& presets() const { return m_presets; }
  const PersonaRecord* find(const QString& presetId) const;

 private:
  QList<PersonaPreset> m_presets;
  QStringList m_added;
};

}  // namespace quire
