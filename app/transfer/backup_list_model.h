#pragma once

#include <QtQml/qqmlregistration.h>
#include <QString>

#include "app/role_list_model.h"
#include "app/store/backup/backups.h"
#include "app/task_runner.h"

namespace quire {

/// The backups of a data folder, newest first, read on another thread.
/// Thread: the window's for every call and signal.
class BackupListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ numRows NOTIFY countChanged)

 public:
  enum Role { kPath = Qt::UserRole + 1, kWhen, kDetail };

  explicit BackupListModel(const QString& folder, QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_backups.size()); }

  /// Reads the list again; `countChanged` follows.
  Q_INVOKABLE void refresh();
  void setBackups(const QList<Backup>& backups);
  /// Empty if there is no such row.
  QString pathAt(int row) const { return m_backups.value(row).path; }

 signals:
  void countChanged();

 private:
  /// "1,204 chats · 48 MB"
  static QString detailText(const Backup& backup);

  const QString m_folder;
  QList<Backup> m_backups;
  TaskRunner m_tasks;
};

}  // namespace quire
