#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QByteArray>

#include "app/store/records.h"
#include "kernels/base/result.h"

namespace quire {

/// The personas a chat may have, in the order in which they were made.
/// Thread: the window's.
class PersonaListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(QString countText READ countText NOTIFY countChanged)
  Q_PROPERTY(int count READ count NOTIFY countChanged)

 public:
  enum Role { kPersonaId = Qt::UserRole + 1, kName, kSummary, kColor };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  int count() const { return static_cast<int>(m_personas.size()); }
  QString countText() const {
    return count() == 1 ? tr("1 persona") : tr("%1 personas").arg(count());
  }
  void setPersonas(const QList<PersonaRecord>& personas);
  const PersonaRecord* find(RecordId id) const;

 signals:
  void countChanged();

 private:
  QList<PersonaRecord> m_personas;
};

/// Reads presets: a JSON list of {id, name, system_prompt, icon_colour, temperature}. The records
/// have no id yet. Errors: kCorruptFile with what is wrong.
Result<QList<PersonaRecord>> parsePersonaPresets(const QByteArray& json);

}  // namespace quire
