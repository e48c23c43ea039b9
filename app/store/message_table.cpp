#include "app/store/message_table.h"

#include <QtEndian>

#include <algorithm>
#include <functional>

#include "app/store/search/search_index.h"

namespace quire::message_table {
namespace {

/// A number that no known version writes reads as a state that promises nothing.
MessageStatus statusFrom(int value) {
  const bool known = value >= static_cast<int>(MessageStatus::Complete) &&
                     value <= static_cast<int>(MessageStatus::Failed);
  return known ? static_cast<MessageStatus>(value) : MessageStatus::Interrupted;
}

const QString kColumns = QStringLiteral(
    "id, chat_id, parent_id, role, status, text, tokens, error, model_name, model_fingerprint, "
    "seed, temperature, prompt_tokens, cached_tokens, output_tokens, first_token_ms, total_ms, "
    "thinking_ms, disk_tokens, reused_tokens, forked_tokens, created_ms");

MessageRecord fromRow(const QSqlQuery& row) {
  MessageRecord message;
  message.id = row.value(0).toLongLong();
  message.chatId = row.value(1).toLongLong();
  message.parentId = row.value(2).toLongLong();
  message.role = row.value(3).toInt() == 0 ? MessageRole::User : MessageRole::Assistant;
  message.status = statusFrom(row.value(4).toInt());
  message.text = row.value(5).toString();
  message.tokens = fromBlob(row.value(6).toByteArray());
  message.error = row.value(7).toString();
  message.modelName = row.value(8).toString();
  message.modelFingerprint = row.value(9).toString();
  message.seed = static_cast<quint64>(row.value(10).toLongLong());
  message.temperature = row.value(11).toDouble();
  message.promptTokens = row.value(12).toInt();
  message.cachedTokens = row.value(13).toInt();
  message.outputTokens = row.value(14).toInt();
  message.firstTokenMs = row.value(15).toDouble();
  message.totalMs = row.value(16).toDouble();
  message.thinkingMs = row.value(17).toDouble();
  message.diskTokens = row.value(18).toInt();
  message.reusedTokens = row.value(19).toInt();
  message.forkedTokens = row.value(20).toInt();
  message.createdMs = row.value(21).toLongLong();
  return message;
}

/// Everything that an answer gets while it is written, in the order of kColumns from `status` on.
Statement& bindContent(Statement& statement, const MessageRecord& message) {
  return statement.bind(static_cast<int>(message.status))
      .bind(message.text)
      .bind(toBlob(message.tokens))
      .bind(message.error)
      .bind(message.modelName)
      .bind(message.modelFingerprint)
      .bind(static_cast<qint64>(message.seed))
      .bind(message.temperature)
      .bind(message.promptTokens)
      .bind(message.cachedTokens)
      .bind(message.outputTokens)
      .bind(message.firstTokenMs)
      .bind(message.totalMs)
      .bind(message.thinkingMs)
      .bind(message.diskTokens)
      .bind(message.reusedTokens)
      .bind(message.forkedTokens);
}

Result<void> runOnOne(const Database& database, Statement& statement, RecordId id) {
  if (auto ran = statement.run(); !ran) return ran;
  if (statement.changedRows() == 1) return {};
  return Error{ErrorCode::kNotFound,
               QStringLiteral("\"%1\" holds no answer %2 that could be written to.")
                   .arg(database.path())
                   .arg(id)
                   .toStdString()};
}

}  // namespace

// Qt's endian functions hand null pointers of empty lists to memcpy, which may not have them.
QByteArray toBlob(const QList<qint32>& tokens) {
  if (tokens.isEmpty()) return {};
  QByteArray blob(tokens.size() * qsizetype{sizeof(qint32)}, Qt::Uninitialized);
  qToLittleEndian<qint32>(tokens.constData(), tokens.size(), blob.data());
  return blob;
}

QList<qint32> fromBlob(const QByteArray& blob) {
  if (blob.size() < qsizetype{sizeof(qint32)}) return {};  // A damaged one may hold a part of one.
  QList<qint32> tokens(blob.size() / qsizetype{sizeof(qint32)});
  qFromLittleEndian<qint32>(blob.constData(), tokens.size(), tokens.data());
  return tokens;
}

Result<QList<MessageRecord>> readChat(const Database& database, RecordId chatId) {
  QList<MessageRecord> messages;
  Statement select(
      database,
      QStringLiteral("SELECT %1 FROM message WHERE chat_id = ? ORDER BY id").arg(kColumns));
  select.bind(chatId);
  auto read = select.forEach([&](const QSqlQuery& row) { messages.append(fromRow(row)); });
  if (!read) return read.error();
  return messages;
}

Result<std::optional<MessageRecord>> readOne(const Database& database, RecordId id) {
  std::optional<MessageRecord> message;
  Statement select(database, QStringLiteral("SELECT %1 FROM message WHERE id = ?").arg(kColumns));
  select.bind(id);
  auto read = select.forEach([&](const QSqlQuery& row) { message = fromRow(row); });
  if (!read) return read.error();
  return message;
}

Result<QList<RecordId>> readAnswerIds(const Database& database, RecordId chatId) {
  QList<RecordId> ids;
  Statement select(database, QStringLiteral("SELECT id FROM message WHERE role = ? AND status <> ? "
                                            "AND chat_id = coalesce(?, chat_id) ORDER BY id"));
  select.bind(static_cast<int>(MessageRole::Assistant))
      .bind(static_cast<int>(MessageStatus::Streaming))
      .bindReference(chatId);
  auto read = select.forEach([&](const QSqlQuery& row) { ids.append(row.value(0).toLongLong()); });
  if (!read) return read.error();
  return ids;
}

Result<void> insert(const Database& database, const MessageRecord& message) {
  Statement statement(
      database, QStringLiteral("INSERT INTO message (%1) VALUES "
                               "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                    .arg(kColumns));
  statement.bind(message.id)
      .bind(message.chatId)
      .bindReference(message.parentId)
      .bind(static_cast<int>(message.role));
  auto inserted = bindContent(statement, message).bind(message.createdMs).run();
  if (!inserted) return inserted;
  return search_index::add(database, message.id);
}

Result<void> checkpoint(const Database& database, RecordId id, const QString& text,
                        const QList<qint32>& tokens) {
  Statement statement(database, QStringLiteral("UPDATE message SET text = ?, tokens = ? "
                                               "WHERE id = ? AND status = ?"));
  statement.bind(text)
      .bind(toBlob(tokens))
      .bind(id)
      .bind(static_cast<int>(MessageStatus::Streaming));
  return runOnOne(database, statement, id);
}

Result<void> finish(const Database& database, const MessageRecord& answer) {
  if (auto done = search_index::remove(database, answer.id); !done) return done;
  Statement statement(
      database,
      QStringLiteral(
          "UPDATE message SET status = ?, text = ?, tokens = ?, error = ?, model_name = ?, "
          "model_fingerprint = ?, seed = ?, temperature = ?, prompt_tokens = ?, "
          "cached_tokens = ?, output_tokens = ?, first_token_ms = ?, total_ms = ?, "
          "thinking_ms = ?, disk_tokens = ?, reused_tokens = ?, forked_tokens = ? WHERE id = ?"));
  bindContent(statement, answer).bind(answer.id);
  if (auto done = runOnOne(database, statement, answer.id); !done) return done;
  return search_index::add(database, answer.id);
}

Result<void> remove(const Database& database, RecordId chatId, const QList<RecordId>& ids) {
  Statement remove(database, QStringLiteral("DELETE FROM message WHERE id = ? AND chat_id = ?"));
  // From the leaves up: a head that goes is followed to its parent, until one stays.
  Statement lift(database,
                 QStringLiteral("UPDATE chat SET head_message_id = "
                                "(SELECT parent_id FROM message WHERE id = head_message_id) "
                                "WHERE id = ? AND head_message_id = ?"));
  QList<RecordId> leavesFirst = ids;
  std::sort(leavesFirst.begin(), leavesFirst.end(), std::greater<>());
  for (const RecordId id : leavesFirst) {
    if (auto done = lift.bind(chatId).bind(id).run(); !done) return done;
    if (auto done = search_index::remove(database, id); !done) return done;
    if (auto done = remove.bind(id).bind(chatId).run(); !done) return done;
    // Of another chat: it stays, also in the index.
    if (remove.changedRows() == 0) {
      if (auto done = search_index::add(database, id); !done) return done;
    }
  }
  return search_index::wantPurge(database);
}

Result<void> interruptStreaming(const Database& database) {
  QList<RecordId> ids;
  Statement select(database, QStringLiteral("SELECT id FROM message WHERE status = 1 ORDER BY id"));
  auto read = select.forEach([&](const QSqlQuery& row) { ids.append(row.value(0).toLongLong()); });
  if (!read || ids.isEmpty()) return read;
  return database.transaction([&]() -> Result<void> {
    auto marked =
        Statement(database, QStringLiteral("UPDATE message SET status = 2 WHERE status = 1")).run();
    if (!marked) return marked;
    for (const RecordId id : ids) {
      if (auto done = search_index::add(database, id); !done) return done;
    }
    return {};
  });
}

}  // namespace quire::message_table
