#include "app/store/folder_table.h"

namespace quire::folder_table {
namespace {

FolderRecord fromRow(const QSqlQuery& row) {
  FolderRecord folder;
  folder.id = row.value(0).toLongLong();
  folder.name = row.value(1).toString();
  folder.position = row.value(2).toInt();
  folder.isOpen = row.value(3).toBool();
  folder.createdMs = row.value(4).toLongLong();
  return folder;
}

}  // namespace

Result<QList<FolderRecord>> readAll(const Database& database) {
  QList<FolderRecord> folders;
  Statement select(database, QStringLiteral("SELECT id, name, position, is_open, created_ms "
                                            "FROM folder ORDER BY position, id"));
  auto read = select.forEach([&](const QSqlQuery& row) { folders.append(fromRow(row)); });
  if (!read) return read.error();
  return folders;
}

Result<void> put(const Database& database, const FolderRecord& folder) {
  return Statement(database,
                   QStringLiteral("INSERT INTO folder (id, name, position, is_open, created_ms) "
                                  "VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                                  "name = excluded.name, position = excluded.position, "
                                  "is_open = excluded.is_open, created_ms = excluded.created_ms"))
      .bind(folder.id)
      .bind(folder.name)
      .bind(folder.position)
      .bind(folder.isOpen)
      .bind(folder.createdMs)
      .run();
}

Result<void> remove(const Database& database, RecordId id) {
  return Statement(database, QStringLiteral("DELETE FROM folder WHERE id = ?")).bind(id).run();
}

}  // namespace quire::folder_table
