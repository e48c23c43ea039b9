#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QString>

#include "app/store/backup/backups.h"
#include "app/task_runner.h"

namespace quire {

/// The backups of a data folder, newest first, read on another thread.
/// Thread: the window's for every call and signal.
class BackupListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ rowCount NOTIFY countChanged)

 public:
  enum Role { kPath = Qt::UserRole + 1, kWhen, kDetail };

  explicit BackupListModel(const QString& folder, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// Reads them again; `countChanged` follows.
  Q_INVOKABLE void refresh();
  void setBackups(const QList<Backup>& backups);
  QString pathAt(int row) const;
  /// "21 November 2026, 09:12"
  static QString whenText(const Backup& backup);
  /// "1,204 chats · 48 MB"
  static QString detailText(const Backup& backup);

 signals:
  void countChanged();

 private:
  const QString m_folder;
  QList<Backup> m_backups;
  TaskRunner m_tasks;
};

}  // namespace quire
