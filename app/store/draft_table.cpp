#include "app/store/draft_table.h"

namespace quire::draft_table {

Result<QList<AttachmentRecord>> readFiles(const Database& database, RecordId chatId) {
  QList<AttachmentRecord> files;
  Statement select(database,
                   QStringLiteral("SELECT name, media_type, bytes, text, tokens FROM draft_file "
                                  "WHERE chat_id IS ? ORDER BY id"));
  select.bindReference(chatId);
  auto read = select.forEach([&](const QSqlQuery& row) {
    AttachmentRecord file;
    file.name = row.value(0).toString();
    file.mediaType = row.value(1).toString();
    file.bytes = row.value(2).toLongLong();
    file.text = row.value(3).toString();
    file.tokens = row.value(4).toInt();
    files.append(file);
  });
  if (!read) return read.error();
  return files;
}

Result<void> putFiles(const Database& database, RecordId chatId,
                      const QList<AttachmentRecord>& files) {
  Statement clear(database, QStringLiteral("DELETE FROM draft_file WHERE chat_id IS ?"));
  if (auto done = clear.bindReference(chatId).run(); !done) return done;
  Statement insert(database,
                   QStringLiteral("INSERT INTO draft_file (chat_id, name, media_type, bytes, text, "
                                  "tokens) VALUES (?, ?, ?, ?, ?, ?)"));
  for (const AttachmentRecord& file : files) {
    auto done = insert.bindReference(chatId)
                    .bind(file.name)
                    .bind(file.mediaType)
                    .bind(file.bytes)
                    .bind(file.text)
                    .bind(file.tokens)
                    .run();
    if (!done) return done;
  }
  return {};
}

}  // namespace quire::draft_table
