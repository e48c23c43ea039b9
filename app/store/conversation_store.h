#pragma once

#include <QList>
#include <QString>

#include <memory>
#include <optional>

#include "app/store/backup/store_rescue.h"
#include "app/store/chat_table.h"
#include "app/store/message_table.h"
#include "app/store/model_setting_table.h"
#include "app/store/origin_table.h"
#include "app/store/record_rows.h"

namespace quire {

/// Personas, chats, messages and settings in one SQLite database (WAL, synchronous FULL), whose
/// schema is migrated on opening. Every writing call is one transaction and durable when it
/// returns; a call that fails changes nothing. Thread: one thread for each instance; several
/// instances may share a file. Invariants: a message's parent is of the same chat; a chat's head is
/// one of its messages or 0.
class ConversationStore {
 public:
  /// Opens or creates `folder`/quire.db. If `recover`, answers that were streaming when the last
  /// process ended become Interrupted. Errors: kIo (folder unwritable, disk full), kCorruptFile
  /// (not a database, integrity_check fails), kUnsupported (written by a newer Quire), with the
  /// path.
  static Result<std::unique_ptr<ConversationStore>> open(const QString& folder,
                                                         bool recover = true);
  /// Opens `folder`/quire.db for reading, also while another Quire writes to it; the file of an
  /// older version is not migrated. Writing calls fail. Errors: kNotFound if there is no such file,
  /// and those of open().
  static Result<std::unique_ptr<ConversationStore>> openForReading(const QString& folder);

  /// Why a store does not open, and its backups (store_rescue.h).
  static StoreDiagnosis diagnose(const QString& folder) { return diagnoseStore(folder); }

  /// By position, then age.
  Result<QList<PersonaRecord>> personas() const {
    return readRecords<PersonaRecord>(*m_database, "ORDER BY position, id");
  }
  /// By position, then age.
  Result<QList<FolderRecord>> folders() const {
    return readRecords<FolderRecord>(*m_database, "ORDER BY position, id");
  }
  /// Last active first.
  Result<QList<ChatRecord>> chats() const { return chat_table::readAll(*m_database); }
  Result<std::optional<ChatRecord>> chat(RecordId id) const {
    return chat_table::readOne(*m_database, id);
  }
  /// The whole tree, oldest first.
  Result<QList<MessageRecord>> messages(RecordId chatId) const {
    return message_table::readChat(*m_database, chatId);
  }
  Result<std::optional<MessageRecord>> message(RecordId id) const {
    return message_table::readOne(*m_database, id);
  }
  /// The answers of a chat, or of all chats for 0, that are no longer being written; oldest first.
  Result<QList<RecordId>> answerIds(RecordId chatId = 0) const {
    return message_table::readAnswerIds(*m_database, chatId);
  }
  /// The origin of an answer; none if it was imported or made by a version without origins.
  /// Errors: kCorruptFile, naming the message, if its prompt cannot be put together any more.
  Result<std::optional<OriginRecord>> origin(RecordId messageId) const {
    return origin_table::read(*m_database, messageId);
  }
  /// The files in the chat's composer; for chat 0 those in the composer to all panes.
  Result<QList<AttachmentRecord>> draftFiles(RecordId chatId) const {
    return chat_table::readDraftFiles(*m_database, chatId);
  }
  /// The answers that are being compared, in their order; empty if there are none.
  Result<QList<ComparedAnswer>> comparedAnswers(RecordId chatId) const {
    return chat_table::readComparison(*m_database, chatId);
  }
  /// The edit of a message that was not saved; of no message if there is none.
  Result<MessageEdit> edit(RecordId chatId) const {
    return chat_table::readEdit(*m_database, chatId);
  }
  Result<std::optional<ModelSettings>> modelSettings(const QString& path) const {
    return model_setting_table::read(*m_database, path);
  }
  /// Last used first.
  Result<QList<ModelSettings>> allModelSettings() const {
    return model_setting_table::readAll(*m_database);
  }
  Result<std::optional<QString>> setting(const QString& key) const {
    return setting_table::read(*m_database, key);
  }
  Result<QHash<QString, QString>> allSettings() const {
    return setting_table::readAll(*m_database);
  }
  /// Over all tables, for IdSource: at least 2^40 ids above it are free. Higher ids, which only a
  /// forged store has, do not count.
  Result<RecordId> highestId() const;

  Result<void> putPersona(const PersonaRecord& persona) { return putRecord(*m_database, persona); }
  /// Its chats stay, without a persona.
  Result<void> removePersona(RecordId id) {
    return afterRemoval(removeRecord<PersonaRecord>(*m_database, id));
  }
  Result<void> putChat(const ChatRecord& chat);
  /// The chat with the files of its draft.
  Result<void> putDraft(const ChatRecord& chat, const QList<AttachmentRecord>& files);
  Result<void> putDraftToAll(const QList<AttachmentRecord>& files);
  /// Replaces the answers that are being compared; empty ends the comparison.
  Result<void> putComparison(RecordId chatId, const QList<ComparedAnswer>& answers);
  /// Replaces the unsaved edit of the chat; of message 0: removes it.
  Result<void> putEdit(RecordId chatId, const MessageEdit& edit);
  Result<void> removeChat(RecordId id);  ///< With all of its messages.
  Result<void> putFolder(const FolderRecord& folder) { return putRecord(*m_database, folder); }
  /// Its chats stay, without a folder.
  Result<void> removeFolder(RecordId id) { return removeRecord<FolderRecord>(*m_database, id); }
  Result<void> putModelSettings(const ModelSettings& settings) {
    return model_setting_table::put(*m_database, settings);
  }
  Result<void> putSetting(const QString& key, const QString& value) {
    return setting_table::put(*m_database, key, value);
  }

  /// Stores a whole chat with its messages and origins in one transaction.
  Result<void> createChat(const NewChat& chat);
  /// Removes messages; `ids` must include all messages below them. If the chat's head is removed,
  /// the nearest message above that stays becomes its head; a caller that shows another branch puts
  /// the chat afterwards. Errors: kInvalidArgument if the parent of a message that stays is
  /// removed.
  Result<void> removeMessages(RecordId chatId, const QList<RecordId>& ids);

  /// Stores a user's message, the empty answer to it and the chat's row (head, activity, title) in
  /// one transaction, before inference starts.
  Result<void> beginTurn(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                         const MessageRecord& answer) {
    return beginAnswers(chat, userMessage, {answer});
  }
  /// The same with several answers to one message.
  Result<void> beginAnswers(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                            const QList<MessageRecord>& answers);
  /// Stores the text of a streaming answer so far, and its sampled ids.
  Result<void> checkpointAnswer(RecordId messageId, const QString& text,
                                const QList<qint32>& tokens) {
    return m_database->transaction(
        [&] { return message_table::checkpoint(*m_database, messageId, text, tokens); });
  }
  /// Stores the answer's last state, with its ids, counts and timings, and its origin. If only the
  /// origin cannot be stored, the answer is stored, and the first such failure is logged.
  Result<void> finishAnswer(const MessageRecord& answer,
                            const std::optional<OriginRecord>& origin = {});

  /// A slice of the background work of some 20 ms: enters messages of an older version into the
  /// full-text index, and removes stale entries. False if nothing is left to do.
  Result<bool> maintain();
  /// The log may hold data that another connection removed: maintain() clears it too.
  void assumeStaleLog() { m_logIsStale = true; }

  /// The first error of SQLite's own check; empty if there is none.
  Result<QString> integrityCheck() const;

  const Database& database() const { return *m_database; }

 private:
  explicit ConversationStore(std::unique_ptr<Database> database)
      : m_database(std::move(database)) {}
  Result<RecordId> highestIdBelow(RecordId end) const;
  Result<void> afterRemoval(Result<void> removed);
  void clearLog();
  void reportLostOrigin(RecordId messageId, const Error& error);

  std::unique_ptr<Database> m_database;
  bool m_logIsStale = false;  ///< The write-ahead log holds removed data.
  bool m_lostOriginReported = false;
};

}  // namespace quire
