#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "app/personas/persona_presets.h"

namespace quire {

/// The personas that come with Quire, to choose from.
/// Thread: the window's.
class PresetListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")

 public:
  enum Role { kPresetId = Qt::UserRole + 1, kName, kDescription, kIconName, kColor, kIsAdded };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

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
