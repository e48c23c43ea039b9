#include "app/transfer/backup_list_model.h"

#include <QLocale>

namespace quire {

BackupListModel::BackupListModel(const QString& folder, QObject* parent)
    : QAbstractListModel(parent), m_folder(folder) {}

int BackupListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_backups.size());
}

QHash<int, QByteArray> BackupListModel::roleNames() const {
  return {{kPath, "path"}, {kWhen, "when"}, {kDetail, "detail"}};
}

QVariant BackupListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_backups.size()) return {};
  const Backup& backup = m_backups[index.row()];
  switch (role) {
    case kPath:
      return backup.path;
    case kWhen:
      return whenText(backup);
    case kDetail:
      return detailText(backup);
    default:
      return {};
  }
}

void BackupListModel::refresh() {
  m_tasks.runNewest([folder = m_folder](std::stop_token) { return listBackups(folder, true); },
                    [this](const QList<Backup>& backups) { setBackups(backups); });
}

void BackupListModel::setBackups(const QList<Backup>& backups) {
  beginResetModel();
  m_backups = backups;
  endResetModel();
  emit countChanged();
}

QString BackupListModel::pathAt(int row) const {
  return row >= 0 && row < m_backups.size() ? m_backups[row].path : QString();
}

QString BackupListModel::whenText(const Backup& backup) {
  return QLocale().toString(backup.made, QLocale::ShortFormat);
}

QString BackupListModel::detailText(const Backup& backup) {
  const QString size = QLocale().formattedDataSize(backup.bytes, 1, QLocale::DataSizeSIFormat);
  if (backup.numChats < 0) return tr("%1 · cannot be read").arg(size);
  const QString chats =
      backup.numChats == 1 ? tr("1 chat") : tr("%1 chats").arg(QLocale().toString(backup.numChats));
  switch (backup.kind) {
    case Backup::Kind::Migration:
      return tr("%1 · %2 · before an update").arg(chats, size);
    case Backup::Kind::Asked:
      return tr("%1 · %2 · made when you asked").arg(chats, size);
    case Backup::Kind::Daily:
      break;
  }
  return tr("%1 · %2").arg(chats, size);
}

}  // namespace quire
