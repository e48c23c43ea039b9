#include "app/store/chat_table.h"

#include "app/store/record_rows.h"
#include "app/store/search/search_index.h"

namespace quire::chat_table {

Result<QList<ChatRecord>> readAll(const Database& database) {
  return readRecords<ChatRecord>(database, "ORDER BY active_ms DESC, id DESC");
}

Result<std::optional<ChatRecord>> readOne(const Database& database, RecordId id) {
  return firstOf(readRecords<ChatRecord>(database, "WHERE id = ?", id));
}

Result<void> put(const Database& database, const ChatRecord& chat) {
  if (auto written = putRecord(database, chat); !written) return written;
  return search_index::putTitle(database, chat.id);
}

Result<void> remove(const Database& database, RecordId id) {
  if (auto done = search_index::markChatStale(database, id); !done) return done;
  if (auto done = removeRecord<ChatRecord>(database, id); !done) return done;
  return search_index::clearSomeStale(database);
}

Result<QList<ComparedAnswer>> readComparison(const Database& database, RecordId chatId) {
  return readRecords<ComparedAnswer>(
      database, "WHERE chat_id = ? ORDER BY position, message_id LIMIT ?", chatId, kMaxCompared);
}

Result<void> putComparison(const Database& database, RecordId chatId,
                           const QList<ComparedAnswer>& answers) {
  Statement clear(database, "DELETE FROM compared_answer WHERE chat_id = ?");
  if (auto done = clear.bind(chatId).run(); !done) return done;
  Statement insert(database,
                   "INSERT INTO compared_answer (message_id, chat_id, position, label) "
                   "SELECT id, chat_id, ?, ? FROM message WHERE id = ? AND chat_id = ?");
  for (qsizetype i = 0; i < answers.size(); ++i) {
    auto done = insert.bind(i).bind(answers[i].label).bind(answers[i].messageId).bind(chatId).run();
    if (!done) return done;
  }
  return {};
}

Result<QList<AttachmentRecord>> readDraftFiles(const Database& database, RecordId chatId) {
  return readRecords<AttachmentRecord>(database, "WHERE chat_id IS nullif(?, 0) ORDER BY id",
                                       chatId);
}

Result<void> putDraftFiles(const Database& database, RecordId chatId,
                           const QList<AttachmentRecord>& files) {
  Statement clear(database, "DELETE FROM draft_file WHERE chat_id IS ?");
  if (auto done = clear.bind(Reference{chatId}).run(); !done) return done;
  Statement insert(database, "INSERT INTO draft_file (" + columnList<AttachmentRecord>() +
                                 ", chat_id) VALUES (?, ?, ?, ?, ?, nullif(?, 0))");
  for (const AttachmentRecord& file : files) {
    if (auto done = bindAll(insert, file).bind(chatId).run(); !done) return done;
  }
  return {};
}

Result<MessageEdit> readEdit(const Database& database, RecordId chatId) {
  MessageEdit edit;
  Statement select(database, "SELECT message_id, text FROM message_edit WHERE chat_id = ?");
  auto read = select.bind(chatId).forEach([&](const Statement& row) {
    edit = {.messageId = row.get<RecordId>(0), .text = row.get<QString>(1)};
  });
  if (!read) return read.error();
  return edit;
}

Result<void> putEdit(const Database& database, RecordId chatId, const MessageEdit& edit) {
  Statement clear(database, "DELETE FROM message_edit WHERE chat_id = ?");
  if (auto done = clear.bind(chatId).run(); !done) return done;
  Statement insert(database,
                   "INSERT INTO message_edit (chat_id, message_id, text) "
                   "SELECT chat_id, id, ? FROM message WHERE id = ? AND chat_id = ?");
  return insert.bind(edit.text).bind(edit.messageId).bind(chatId).run();
}

}  // namespace quire::chat_table
