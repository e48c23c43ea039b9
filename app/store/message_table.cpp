#include "app/store/message_table.h"

#include <algorithm>
#include <functional>

#include "app/store/record_rows.h"
#include "app/store/search/search_index.h"

namespace quire::message_table {
namespace {

/// Reads in one statement, with one row for each part, because another connection may be writing.
Result<QList<MessageRecord>> readMessages(const Database& database, const char* where,
                                          RecordId id) {
  constexpr int kPart = kNumFields<MessageRecord>;
  QList<MessageRecord> messages;
  Statement select(database, "SELECT " + columnList<MessageRecord>() +
                                 ", kind, payload, properties, blob FROM message "
                                 "LEFT JOIN message_part ON message_id = id WHERE " +
                                 where + " ORDER BY id, position");
  auto read = select.bind(id).forEach([&](const Statement& row) {
    if (messages.isEmpty() || messages.last().id != row.number(0)) {
      messages.append(recordFrom<MessageRecord>(row));
    }
    if (row.isNull(kPart)) return;
    messages.last().parts.append({.kind = row.get<QString>(kPart),
                                  .payload = row.get<QString>(kPart + 1),
                                  .properties = row.get<QByteArray>(kPart + 2),
                                  .blob = row.get<QByteArray>(kPart + 3)});
  });
  if (!read) return read.error();
  return messages;
}

Result<void> insertParts(const Database& database, const MessageRecord& message) {
  Statement insert(database,
                   "INSERT INTO message_part (message_id, position, kind, payload, properties, "
                   "blob) VALUES (?, ?, ?, ?, ?, ?)");
  for (qsizetype i = 0; i < message.parts.size(); ++i) {
    const MessagePart& part = message.parts[i];
    auto done = insert.bind(message.id)
                    .bind(i)
                    .bind(part.kind)
                    .bind(part.payload)
                    .bind(QString::fromUtf8(part.properties))
                    .bind(part.blob)
                    .run();
    if (!done) return done;
  }
  return {};
}

Result<void> runOnOne(const Database& database, Statement& statement, RecordId id) {
  if (auto ran = statement.run(); !ran) return ran;
  if (database.changedRows() == 1) return {};
  return Error{ErrorCode::kNotFound,
               QStringLiteral("\"%1\" holds no answer %2 that could be written to.")
                   .arg(pathOf(database))
                   .arg(id)
                   .toStdString()};
}

/// Visits the fields that change while an answer is written.
template <typename Visit>
void forEachContent(const Visit& visit) {
  int index = 0;
  forEachField<MessageRecord>([&](const auto& field) {
    if (index++ >= Fields<MessageRecord>::kNumFixed) visit(field);
  });
}

}  // namespace

Result<QList<MessageRecord>> readChat(const Database& database, RecordId chatId) {
  return readMessages(database, "chat_id = ?", chatId);
}

Result<std::optional<MessageRecord>> readOne(const Database& database, RecordId id) {
  return firstOf(readMessages(database, "id = ?", id));
}

Result<QList<RecordId>> readAnswerIds(const Database& database, RecordId chatId) {
  return Statement(database,
                   "SELECT id FROM message WHERE role = ? AND status <> ? "
                   "AND chat_id = coalesce(?, chat_id) ORDER BY id")
      .bind(MessageRole::Assistant)
      .bind(MessageStatus::Streaming)
      .bind(Reference{chatId})
      .all<QList<RecordId>>();
}

Result<void> insert(const Database& database, const MessageRecord& message) {
  Statement statement(database, insertSql<MessageRecord>());
  if (auto done = bindAll(statement, message).run(); !done) return done;
  if (auto done = insertParts(database, message); !done) return done;
  return search_index::add(database, message.id);
}

Result<void> checkpoint(const Database& database, RecordId id, const QString& text,
                        const QList<qint32>& tokens) {
  Statement ids(database, "UPDATE message SET tokens = ? WHERE id = ? AND status = ?");
  ids.bind(tokens).bind(id).bind(MessageStatus::Streaming);
  if (auto done = runOnOne(database, ids, id); !done) return done;
  // Only the last text part grows.
  return Statement(database,
                   "INSERT INTO message_part (message_id, position, kind, payload, properties, "
                   "blob) SELECT ?, coalesce(max(position) FILTER (WHERE kind = 'text'), "
                   "max(position) + 1, 0), 'text', ?, '', x'' FROM message_part "
                   "WHERE message_id = ? ON CONFLICT DO UPDATE SET payload = excluded.payload")
      .bind(id)
      .bind(text)
      .bind(id)
      .run();
}

Result<void> finish(const Database& database, const MessageRecord& answer) {
  const auto whole = withStoredNames(database, answer);
  if (!whole) return whole.error();
  if (auto done = search_index::remove(database, answer.id); !done) return done;
  std::string updates;
  forEachContent([&](const auto& field) {
    updates += (updates.empty() ? "" : ", ") + std::string(field.column) + " = ?";
  });
  Statement statement(database, "UPDATE message SET " + updates + " WHERE id = ?");
  forEachContent([&](const auto& field) { statement.bind(*whole.*field.member); });
  statement.bind(answer.id);
  if (auto done = runOnOne(database, statement, answer.id); !done) return done;
  Statement clear(database, "DELETE FROM message_part WHERE message_id = ?");
  if (auto done = clear.bind(answer.id).run(); !done) return done;
  if (auto done = insertParts(database, answer); !done) return done;
  return search_index::add(database, answer.id);
}

Result<void> remove(const Database& database, RecordId chatId, const QList<RecordId>& ids) {
  Statement remove(database, "DELETE FROM message WHERE id = ? AND chat_id = ?");
  // Runs from the leaves up: a head that is removed is replaced by its parent, until one stays.
  Statement lift(database,
                 "UPDATE chat SET head_message_id = "
                 "(SELECT parent_id FROM message WHERE id = head_message_id) "
                 "WHERE id = ? AND head_message_id = ?");
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
  const auto ids = Statement(database, "SELECT id FROM message WHERE status = 1 ORDER BY id")
                       .all<QList<RecordId>>();
  if (!ids) return ids.error();
  if (ids->isEmpty()) return {};
  return database.transaction([&]() -> Result<void> {
    auto marked = database.exec("UPDATE message SET status = 2 WHERE status = 1");
    if (!marked) return marked;
    for (const RecordId id : *ids) {
      if (auto done = search_index::add(database, id); !done) return done;
    }
    return {};
  });
}

}  // namespace quire::message_table
