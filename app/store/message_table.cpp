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
    "id, chat_id, parent_id, role, status, tokens, error, model_name, model_fingerprint, "
    "seed, temperature, prompt_tokens, cached_tokens, output_tokens, first_token_ms, total_ms, "
    "thinking_ms, disk_tokens, reused_tokens, forked_tokens, created_ms");

MessageRecord fromRow(const QSqlQuery& row) {
  int column = 0;
  const auto next = [&] { return row.value(column++); };
  MessageRecord message;
  message.id = next().toLongLong();
  message.chatId = next().toLongLong();
  message.parentId = next().toLongLong();
  message.role = {next().toString()};
  message.status = statusFrom(next().toInt());
  message.tokens = fromBlob(next().toByteArray());
  message.error = next().toString();
  message.modelName = next().toString();
  message.modelFingerprint = next().toString();
  message.seed = static_cast<quint64>(next().toLongLong());
  message.temperature = next().toDouble();
  message.promptTokens = next().toInt();
  message.cachedTokens = next().toInt();
  message.outputTokens = next().toInt();
  message.firstTokenMs = next().toDouble();
  message.totalMs = next().toDouble();
  message.thinkingMs = next().toDouble();
  message.diskTokens = next().toInt();
  message.reusedTokens = next().toInt();
  message.forkedTokens = next().toInt();
  message.createdMs = next().toLongLong();
  return message;
}

/// Everything that an answer gets while it is written, in the order of kColumns from `status` on.
Statement& bindContent(Statement& statement, const MessageRecord& message) {
  return statement.bind(static_cast<int>(message.status))
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

namespace {

/// In one statement, because somebody may be writing: one row for each part.
Result<QList<MessageRecord>> readMessages(const Database& database, const QString& where,
                                          RecordId id) {
  QList<MessageRecord> messages;
  Statement select(database,
                   QStringLiteral("SELECT %1, kind, payload, properties, blob "
                                  "FROM message LEFT JOIN message_part ON message_id = id "
                                  "WHERE %2 ORDER BY id, position")
                       .arg(kColumns, where));
  auto read = select.bind(id).forEach([&](const QSqlQuery& row) {
    if (messages.isEmpty() || messages.last().id != row.value(0).toLongLong()) {
      messages.append(fromRow(row));
    }
    if (row.isNull(21)) return;
    messages.last().parts.append({.kind = row.value(21).toString(),
                                  .payload = row.value(22).toString(),
                                  .properties = row.value(23).toByteArray(),
                                  .blob = row.value(24).toByteArray()});
  });
  if (!read) return read.error();
  return messages;
}

Result<void> insertParts(const Database& database, const MessageRecord& message) {
  Statement insert(database,
                   QStringLiteral("INSERT INTO message_part (message_id, position, kind, "
                                  "payload, properties, blob) VALUES (?, ?, ?, ?, ?, ?)"));
  for (qsizetype i = 0; i < message.parts.size(); ++i) {
    const MessagePart& part = message.parts[i];
    auto done = insert.bind(message.id)
                    .bind(qint64{i})
                    .bind(part.kind)
                    .bind(part.payload)
                    .bind(QString::fromUtf8(part.properties))
                    .bind(part.blob)
                    .run();
    if (!done) return done;
  }
  return {};
}

}  // namespace

Result<QList<MessageRecord>> readChat(const Database& database, RecordId chatId) {
  return readMessages(database, QStringLiteral("chat_id = ?"), chatId);
}

Result<std::optional<MessageRecord>> readOne(const Database& database, RecordId id) {
  auto messages = readMessages(database, QStringLiteral("id = ?"), id);
  if (!messages) return messages.error();
  if (messages->isEmpty()) return std::optional<MessageRecord>();
  return std::optional<MessageRecord>(std::move(messages->first()));
}

Result<QList<RecordId>> readAnswerIds(const Database& database, RecordId chatId) {
  QList<RecordId> ids;
  Statement select(database, QStringLiteral("SELECT id FROM message WHERE role = ? AND status <> ? "
                                            "AND chat_id = coalesce(?, chat_id) ORDER BY id"));
  select.bind(MessageRole::Assistant.name)
      .bind(static_cast<int>(MessageStatus::Streaming))
      .bindReference(chatId);
  auto read = select.forEach([&](const QSqlQuery& row) { ids.append(row.value(0).toLongLong()); });
  if (!read) return read.error();
  return ids;
}

Result<void> insert(const Database& database, const MessageRecord& message) {
  Statement statement(
      database, QStringLiteral("INSERT INTO message (%1) VALUES "
                               "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                    .arg(kColumns));
  statement.bind(message.id)
      .bind(message.chatId)
      .bindReference(message.parentId)
      .bind(message.role.name);
  auto inserted = bindContent(statement, message).bind(message.createdMs).run();
  if (!inserted) return inserted;
  if (auto done = insertParts(database, message); !done) return done;
  return search_index::add(database, message.id);
}

Result<void> checkpoint(const Database& database, RecordId id, const QString& text,
                        const QList<qint32>& tokens) {
  Statement ids(database,
                QStringLiteral("UPDATE message SET tokens = ? WHERE id = ? AND status = ?"));
  ids.bind(toBlob(tokens)).bind(id).bind(static_cast<int>(MessageStatus::Streaming));
  if (auto done = runOnOne(database, ids, id); !done) return done;
  // Only the last text part grows.
  return Statement(database,
                   QStringLiteral("INSERT INTO message_part (message_id, position, kind, payload, "
                                  "properties, blob) "
                                  "SELECT ?, coalesce(max(position) FILTER (WHERE kind = 'text'), "
                                  "max(position) + 1, 0), 'text', ?, '', x'' "
                                  "FROM message_part WHERE message_id = ? "
                                  "ON CONFLICT DO UPDATE SET payload = excluded.payload"))
      .bind(id)
      .bind(text)
      .bind(id)
      .run();
}

Result<void> finish(const Database& database, const MessageRecord& answer) {
  if (auto done = search_index::remove(database, answer.id); !done) return done;
  Statement statement(
      database,
      QStringLiteral(
          "UPDATE message SET status = ?, tokens = ?, error = ?, model_name = ?, "
          "model_fingerprint = ?, seed = ?, temperature = ?, prompt_tokens = ?, "
          "cached_tokens = ?, output_tokens = ?, first_token_ms = ?, total_ms = ?, "
          "thinking_ms = ?, disk_tokens = ?, reused_tokens = ?, forked_tokens = ? WHERE id = ?"));
  bindContent(statement, answer).bind(answer.id);
  if (auto done = runOnOne(database, statement, answer.id); !done) return done;
  Statement clear(database, QStringLiteral("DELETE FROM message_part WHERE message_id = ?"));
  if (auto done = clear.bind(answer.id).run(); !done) return done;
  if (auto done = insertParts(database, answer); !done) return done;
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
    if (auto done = search_index::markStale(database, id, chatId); !done) return done;
    if (auto done = remove.bind(id).bind(chatId).run(); !done) return done;
  }
  return search_index::clearSomeStale(database);
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
