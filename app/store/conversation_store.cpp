#include "app/store/conversation_store.h"

#include <QDebug>

#include <utility>

#include "app/store/backup/store_rescue.h"
#include "app/store/chat_table.h"
#include "app/store/database.h"
#include "app/store/message_table.h"
#include "app/store/model_setting_table.h"
#include "app/store/origin_table.h"
#include "app/store/record_rows.h"
#include "app/store/search/search_index.h"

namespace quire {
namespace {

Result<void> insertOrigins(const Database& database, const NewChat& chat) {
  if (auto done = origin_table::copy(database, chat.copiedFrom); !done) return done;
  // In the order of the messages: a prompt is built on those of older answers.
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

ConversationStore::ConversationStore(std::unique_ptr<Database> database)
    : m_database(std::move(database)) {}

ConversationStore::~ConversationStore() = default;

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

Result<QList<PersonaRecord>> ConversationStore::personas() const {
  return readRecords<PersonaRecord>(*m_database, "ORDER BY position, id");
}

Result<QList<FolderRecord>> ConversationStore::folders() const {
  return readRecords<FolderRecord>(*m_database, "ORDER BY position, id");
}

Result<QList<AttachmentRecord>> ConversationStore::draftFiles(RecordId chatId) const {
  return chat_table::readDraftFiles(*m_database, chatId);
}

Result<QList<ComparedAnswer>> ConversationStore::comparedAnswers(RecordId chatId) const {
  return chat_table::readComparison(*m_database, chatId);
}

Result<std::optional<ModelSettings>> ConversationStore::modelSettings(const QString& path) const {
  return model_setting_table::read(*m_database, path);
}

Result<QList<ModelSettings>> ConversationStore::allModelSettings() const {
  return model_setting_table::readAll(*m_database);
}

Result<QList<ChatRecord>> ConversationStore::chats() const {
  return chat_table::readAll(*m_database);
}

Result<std::optional<ChatRecord>> ConversationStore::chat(RecordId id) const {
  return chat_table::readOne(*m_database, id);
}

Result<QList<MessageRecord>> ConversationStore::messages(RecordId chatId) const {
  return message_table::readChat(*m_database, chatId);
}

Result<std::optional<MessageRecord>> ConversationStore::message(RecordId id) const {
  return message_table::readOne(*m_database, id);
}

Result<QList<RecordId>> ConversationStore::answerIds(RecordId chatId) const {
  return message_table::readAnswerIds(*m_database, chatId);
}

Result<std::optional<OriginRecord>> ConversationStore::origin(RecordId messageId) const {
  return origin_table::read(*m_database, messageId);
}

Result<std::optional<QString>> ConversationStore::setting(const QString& key) const {
  return setting_table::read(*m_database, key);
}

Result<RecordId> ConversationStore::highestId() const {
  const auto highest = m_database->number(
      "SELECT max(coalesce((SELECT max(id) FROM persona), 0), "
      "coalesce((SELECT max(id) FROM chat), 0), coalesce((SELECT max(id) FROM folder), 0), "
      "coalesce((SELECT max(id) FROM search_stale), 0), "
      "coalesce((SELECT max(id) FROM message), 0))");
  if (!highest) return highest.error();
  return RecordId{*highest};
}

Result<void> ConversationStore::putPersona(const PersonaRecord& persona) {
  return putRecord(*m_database, persona);
}

Result<void> ConversationStore::removePersona(RecordId id) {
  return afterRemoval(removeRecord<PersonaRecord>(*m_database, id));
}

Result<void> ConversationStore::putChat(const ChatRecord& chat) {
  const Database& database = *m_database;
  return database.transaction([&] { return chat_table::put(database, chat); });
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
  const Database& database = *m_database;
  return database.transaction([&] { return chat_table::putDraftFiles(database, 0, files); });
}

Result<void> ConversationStore::putComparison(RecordId chatId,
                                              const QList<ComparedAnswer>& answers) {
  const Database& database = *m_database;
  return database.transaction([&] { return chat_table::putComparison(database, chatId, answers); });
}

Result<void> ConversationStore::removeChat(RecordId id) {
  const Database& database = *m_database;
  return afterRemoval(database.transaction([&] { return chat_table::remove(database, id); }));
}

Result<void> ConversationStore::putFolder(const FolderRecord& folder) {
  return putRecord(*m_database, folder);
}

Result<void> ConversationStore::removeFolder(RecordId id) {
  return removeRecord<FolderRecord>(*m_database, id);
}

Result<void> ConversationStore::putModelSettings(const ModelSettings& settings) {
  return model_setting_table::put(*m_database, settings);
}

Result<void> ConversationStore::createChat(const NewChat& chat) {
  const Database& database = *m_database;
  return database.transaction([&]() -> Result<void> { return insertChat(database, chat); });
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

Result<void> ConversationStore::putSetting(const QString& key, const QString& value) {
  return setting_table::put(*m_database, key, value);
}

Result<void> ConversationStore::beginTurn(const ChatRecord& chat,
                                          const std::optional<MessageRecord>& userMessage,
                                          const MessageRecord& answer) {
  return beginAnswers(chat, userMessage, {answer});
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

Result<void> ConversationStore::checkpointAnswer(RecordId messageId, const QString& text,
                                                 const QList<qint32>& tokens) {
  return message_table::checkpoint(*m_database, messageId, text, tokens);
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
  // A transaction of its own: after some errors SQLite has undone the whole one.
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
  // What was removed leaves the log too, when the last of it has left the index.
  if (more && *more) m_logIsStale = true;
  if (more && !*more) clearLog();
  return more;
}

Result<void> ConversationStore::afterRemoval(Result<void> removed) {
  m_logIsStale = m_logIsStale || removed;
  clearLog();
  return removed;
}

/// Where someone is reading, the next maintenance tries again.
void ConversationStore::clearLog() {
  if (m_logIsStale) m_logIsStale = !m_database->truncateLog();
}

Result<QString> ConversationStore::integrityCheck() const {
  const auto verdict = m_database->text("PRAGMA integrity_check(1)");
  if (!verdict) return verdict.error();
  return *verdict == "ok" ? QString() : QString::fromStdString(*verdict);
}

}  // namespace quire
