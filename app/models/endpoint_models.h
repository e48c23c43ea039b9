#pragma once

#include <QtQml/qqmlregistration.h>
#include <QStringList>

#include "app/role_list_model.h"

namespace quire {

/// The models of an endpoint that is being edited, and which of them chats can choose.
/// Thread: the window's.
class EndpointModels : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(bool isLong READ isLong NOTIFY changed)
  Q_PROPERTY(QString filter READ filter WRITE setFilter NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)

 public:
  enum Role { kName = Qt::UserRole + 1, kIsChosen };

  explicit EndpointModels(QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_shown.size()); }
  int count() const { return static_cast<int>(m_names.size()); }
  bool isLong() const { return count() > kLong; }
  QString filter() const { return m_filter; }
  void setFilter(const QString& filter);
  QString summary() const;  ///< "2 of 14 chosen".
  const QStringList& chosen() const { return m_chosen; }

  void clear();
  /// The names that a test has found, beside those that are chosen. Of a few, all are chosen.
  void setFound(const QStringList& names);
  void setChosen(const QStringList& names);
  Q_INVOKABLE void toggle(const QString& name);
  /// Adds and chooses a model that is not listed.
  Q_INVOKABLE void add(const QString& typed);

 signals:
  void changed();

 private:
  static constexpr int kLong = 8;  ///< With more, the list can be filtered.
  void show();

  QStringList m_names;
  QStringList m_shown;  ///< Those that match the filter.
  QStringList m_chosen;
  QString m_filter;
};

}  // namespace quire
