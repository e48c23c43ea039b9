#pragma once

#include <QtQml/qqmlregistration.h>

#include "app/role_list_model.h"
#include "app/store/records.h"
#include "kernels/base/result.h"

namespace quire {

/// A persona that comes with Quire, from which the user can make one.
struct PersonaPreset {
  PersonaRecord persona;  ///< Without an id.
  bool isFirst = false;   ///< Added to an empty store.
};

/// Reads presets: a JSON list of {id, icon, color, first, settings, en: {name, description,
/// prompt}, ko: {...}}. `language` selects the texts; English is used where it is missing.
/// Errors: kCorruptFile.
Result<QList<PersonaPreset>> parsePersonaPresets(const QByteArray& json, const QString& language);

/// The presets to choose from.
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
  /// Ids of the presets from which a persona was made.
  void setAdded(const QStringList& presetIds);
  const QList<PersonaPreset>& presets() const { return m_presets; }
  const PersonaRecord* find(const QString& presetId) const;

 private:
  QList<PersonaPreset> m_presets;
  QStringList m_added;
};

}  // namespace quire
