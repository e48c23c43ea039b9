#include "app/store/conversation_store.h"

#include <QDebug>

#include <algorithm>
#include <utility>

#include "app/store/search/search_index.h"

namespace quire {
namespace {

Result<void> insertOrigins(const Database& database, const NewChat& chat) {
  if (auto done = origin_table::copy(database, chat.copiedFrom); !done) return done;
  // In the order of the messages, because prompts are built on those of older answers.
  for (const MessageRecord& message : chat.messages) {
    const auto origin = chat.origins.constFind(message.id);
    if (origin == chat.origins.constEnd()) continue;
    if (auto done = origin_table::put(database, message, *origin); !done) return done;
  }
  return {};
}

Result<void> insertChat(const Database& database, const NewChat& chat) {
  if (auto done = chat_table::put(database, chat.chat); !done) return done;
  for (const MessageRecord& message : chat.messages) {
    if (auto done = message_table::insert(database, message); !done) return done;
  }
  return insertOrigins(database, chat);
}

}  // namespace

Result<std::unique_ptr<ConversationStore>> ConversationStore::open(const QString& folder,
                                                                   bool recover) {
  if (recover) finishMoving(folder);
  auto database = openStore(folder, recover);
  if (!database) return database.error();
  if (recover) {
    if (auto done = message_table::interruptStreaming(**database); !done) return done.error();
  }
  return std::unique_ptr<ConversationStore>(new ConversationStore(std::move(*database)));
}

Result<std::unique_ptr<ConversationStore>> ConversationStore::openForReading(
    const QString& folder) {
  auto database = openStoreForReading(folder);
  if (!database) return database.error();
  return std::unique_ptr<ConversationStore>(new ConversationStore(std::move(*database)));
}

Result<RecordId> ConversationStore::highestId() const {
  // Ids from here on would lose digits in the window, which has numbers of 53 bits.
  constexpr RecordId kEnd = RecordId{1} << 52;
  // More than a session can make.
  constexpr RecordId kRoom = RecordId{1} << 40;
  // Only a forged store has ids near kEnd. A fixed limit above which ids are ignored would not do:
  // an id just below it would be followed by ids that the next start ignores and makes again. So
  // the ids are divided into ranges of kRoom, and the new ones follow those below the last range
  // that is empty: whatever the store holds, it has none of them.
  for (RecordId end = kEnd; end > kRoom; end -= kRoom) {
    const auto highest = highestIdBelow(end);
    if (!highest || *highest < end - kRoom) return highest;
  }
  return highestIdBelow(kEnd);  // Each of the 4,096 ranges has an id: none is better.
}

Result<RecordId> ConversationStore::highestIdBelow(RecordId end) const {
  RecordId highest = 0;
  for (const char* table : {"persona", "chat", "folder", "search_stale", "message"}) {
    Statement select(*m_database, std::string("SELECT max(id) FROM ") + table + " WHERE id < ?");
    const auto found = select.bind(end).first<RecordId>();
    if (!found) return found.error();
    highest = std::max(highest, found->value_or(0));
  }
  return highest;
}

Result<void> ConversationStore::putChat(const ChatRecord& chat) {
  return m_database->transaction([&] { return chat_table::put(*m_database, chat); });
}

Result<void> ConversationStore::putDraft(const ChatRecord& chat,
                                         const QList<AttachmentRecord>& files) {
  const Database& database = *m_database;
  return database.transaction([&]() -> Result<void> {
    if (auto done = chat_table::put(database, chat); !done) return done;
    return chat_table::putDraftFiles(database, chat.id, files);
  });
}

Result<void> ConversationStore::putDraftToAll(const QList<AttachmentRecord>& files) {
  return m_database->transaction([&] { return chat_table::putDraftFiles(*m_database, 0, files); });
}

Result<void> ConversationStore::putComparison(RecordId chatId,
                                              const QList<ComparedAnswer>& answers) {
  return m_database->transaction(
      [&] { return chat_table::putComparison(*m_database, chatId, answers); });
}

Result<void> ConversationStore::putEdit(RecordId chatId, const MessageEdit& edit) {
  return m_database->transaction([&] { return chat_table::putEdit(*m_database, chatId, edit); });
}

Result<void> ConversationStore::removeChat(RecordId id) {
  return afterRemoval(m_database->transaction([&] { return chat_table::remove(*m_database, id); }));
}

Result<void> ConversationStore::createChat(const NewChat& chat) {
  return m_database->transaction([&] { return insertChat(*m_database, chat); });
}

Result<void> ConversationStore::removeMessages(RecordId chatId, const QList<RecordId>& ids) {
  const Database& database = *m_database;
  return afterRemoval(database.transaction([&]() -> Result<void> {
    const auto kept = origin_table::builtOn(database, ids);
    if (!kept) return kept.error();
    if (auto done = message_table::remove(database, chatId, ids); !done) return done;
    for (const auto& [answer, origin] : *kept) {
      if (auto done = origin_table::put(database, answer, origin); !done) return done;
    }
    return {};
  }));
}

Result<void> ConversationStore::beginAnswers(const ChatRecord& chat,
                                             const std::optional<MessageRecord>& userMessage,
                                             const QList<MessageRecord>& answers) {
  const Database& database = *m_database;
  return database.transaction([&]() -> Result<void> {
    if (auto done = chat_table::put(database, chat); !done) return done;
    if (userMessage) {
      if (auto done = message_table::insert(database, *userMessage); !done) return done;
    }
    for (const MessageRecord& answer : answers) {
      if (auto done = message_table::insert(database, answer); !done) return done;
    }
    return {};
  });
}

Result<void> ConversationStore::finishAnswer(const MessageRecord& answer,
                                             const std::optional<OriginRecord>& origin) {
  const Database& database = *m_database;
  bool finished = false;
  const auto write = [&](bool withOrigin) {
    return database.transaction([&]() -> Result<void> {
      auto done = message_table::finish(database, answer);
      finished = done.has_value();
      if (!finished || !withOrigin) return done;
      return origin_table::put(database, answer, *origin);
    });
  };
  auto written = write(origin.has_value());
  // A second transaction, because after some errors SQLite has rolled back the first.
  if (written || !finished || !origin) return written;
  const Error error = written.error();
  written = write(false);
  if (written) reportLostOrigin(answer.id, error);
  return written;
}

void ConversationStore::reportLostOrigin(RecordId messageId, const Error& error) {
  if (std::exchange(m_lostOriginReported, true)) return;
  qWarning(
      "Message %lld is saved, but not what it was made from, so that it cannot be replayed: %s",
      static_cast<long long>(messageId), error.message.c_str());
}

Result<bool> ConversationStore::maintain() {
  auto more = search_index::maintain(*m_database);
  // The log is cleared when the last stale entry has left the index.
  if (more && *more) m_logIsStale = true;
  if (more && !*more) clearLog();
  return more;
}

Result<void> ConversationStore::afterRemoval(Result<void> removed) {
  m_logIsStale = m_logIsStale || removed;
  clearLog();
  return removed;
}

/// If another connection is reading, the next maintenance tries again.
void ConversationStore::clearLog() {
  if (m_logIsStale) m_logIsStale = !m_database->truncateLog();
}

Result<QString> ConversationStore::integrityCheck() const {
  const auto verdict = m_database->text("PRAGMA integrity_check(1)");
  if (!verdict) return verdict.error();
  return *verdict == "ok" ? QString() : QString::fromStdString(*verdict);
}

}  // namespace quire
