#include "app/store/attachment_table.h"

namespace quire::attachment_table {
namespace {

AttachmentRecord fromRow(const QSqlQuery& row) {
  AttachmentRecord attachment;
  attachment.id = row.value(0).toLongLong();
  attachment.messageId = row.value(1).toLongLong();
  attachment.name = row.value(2).toString();
  attachment.mediaType = row.value(3).toString();
  attachment.bytes = row.value(4).toLongLong();
  attachment.text = row.value(5).toString();
  attachment.tokens = row.value(6).toInt();
  return attachment;
}

}  // namespace

Result<QList<AttachmentRecord>> readChat(const Database& database, RecordId chatId) {
  QList<AttachmentRecord> attachments;
  Statement select(
      database,
      QStringLiteral("SELECT a.id, a.message_id, a.name, a.media_type, a.bytes, a.text, a.tokens "
                     "FROM message AS m JOIN attachment AS a ON a.message_id = m.id "
                     "WHERE m.chat_id = ? ORDER BY a.id"));
  select.bind(chatId);
  auto read = select.forEach([&](const QSqlQuery& row) { attachments.append(fromRow(row)); });
  if (!read) return read.error();
  return attachments;
}

Result<void> insert(const Database& database, const AttachmentRecord& attachment) {
  return Statement(database,
                   QStringLiteral("INSERT INTO attachment (id, message_id, name, media_type, "
                                  "bytes, text, tokens) VALUES (?, ?, ?, ?, ?, ?, ?)"))
      .bind(attachment.id)
      .bind(attachment.messageId)
      .bind(attachment.name)
      .bind(attachment.mediaType)
      .bind(attachment.bytes)
      .bind(attachment.text)
      .bind(attachment.tokens)
      .run();
}

}  // namespace quire::attachment_table
