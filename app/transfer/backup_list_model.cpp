#include "app/transfer/backup_list_model.h"

#include "app/size_text.h"

#include <QLocale>

namespace quire {

BackupListModel::BackupListModel(const QString& folder, QObject* parent)
    : RoleListModel(parent), m_folder(folder) {
  const auto when = [this](int row) {
    return QLocale().toString(m_backups[row].made, QLocale::ShortFormat);
  };
  setRoles({{kPath, "path", [this](int row) { return m_backups[row].path; }},
            {kWhen, "when", when},
            {kDetail, "detail", [this](int row) { return detailText(m_backups[row]); }}});
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

QString BackupListModel::detailText(const Backup& backup) {
  const QString size = sizeText(static_cast<quint64>(backup.bytes));
  if (backup.numChats < 0) return tr("%1 · cannot be read").arg(size);
  const QString chats = tr("%Ln chat(s)", nullptr, static_cast<int>(backup.numChats));
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
