#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/models/model_card.h"
#include "app/role_list_model.h"

namespace quire {

/// Cards in the order given to it.
/// Thread: the window's.
class ModelListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(int count READ count NOTIFY countChanged)

 public:
  enum Role { kCard = Qt::UserRole + 1, kSection };
  struct Row {
    ModelCard* card = nullptr;
    QString section;  ///< Whose it is; rows of one section stand together.

    bool operator==(const Row&) const = default;
  };

  explicit ModelListModel(QObject* parent = nullptr);

  int numRows() const override { return count(); }

  int count() const { return static_cast<int>(m_rows.size()); }
  ModelCard* cardAt(int row) const { return m_rows.value(row).card; }
  /// Changes no row that stays, so that what the user looks at does not move more than it must.
  void setRows(const QList<Row>& rows);

 signals:
  void countChanged();

 private:
  void reset(const QList<Row>& rows);

  QList<Row> m_rows;
};

}  // namespace quire
