#pragma once

#include <QList>
#include <QString>

#include <memory>
#include <optional>

#include "app/store/backup/store_rescue.h"
#include "app/store/records.h"
#include "kernels/base/result.h"

namespace quire {

class Database;

/// Personas, chats, messages and settings in one SQLite database (WAL, synchronous FULL), schema
/// migrated on opening. Every writing call is one transaction and durable when it returns; one that
/// fails has changed nothing.
/// Thread: one thread for each instance; several instances may share a file.
/// Invariants: a message's parent is of the same chat; a chat's head is one of its messages or 0.
class ConversationStore {
 public:
  /// Opens or creates `folder`/quire.db. Answers that were streaming when the last process died
  /// become Interrupted if `recover`. Errors: kIo (folder unwritable, disk full), kCorruptFile (not
  /// a database, integrity_check fails), kUnsupported (written by a newer Quire), with the path.
  static Result<std::unique_ptr<ConversationStore>> open(const QString& folder,
                                                         bool recover = true);
  /// Opens `folder`/quire.db to read from it and nothing else, also while a Quire is writing to it;
  /// an older version's stays what it is. Writing calls fail. Errors: kNotFound if there is no
  /// such file, and those of open().
  static Result<std::unique_ptr<ConversationStore>> openForReading(const QString& folder);
  ~ConversationStore();

  /// What is wrong with a store that does not open, and what backups there are (store_rescue.h).
  static StoreDiagnosis diagnose(const QString& folder) { return diagnoseStore(folder); }

  Result<QList<PersonaRecord>> personas() const;  ///< By position, then age.
  Result<QList<FolderRecord>> folders() const;    ///< By position, then age.
  Result<QList<ChatRecord>> chats() const;        ///< Last active first.
  Result<std::optional<ChatRecord>> chat(RecordId id) const;
  Result<QList<MessageRecord>> messages(RecordId chatId) const;  ///< The whole tree, oldest first.
  Result<std::optional<MessageRecord>> message(RecordId id) const;
  /// The answers of a chat, or of all chats for 0, that are no longer being written; oldest first.
  Result<QList<RecordId>> answerIds(RecordId chatId = 0) const;
  /// What an answer was made from; none for one that was made before that was kept, or elsewhere.
  /// Errors: kCorruptFile if it is there but its prompt is not known any more, naming the message.
  Result<std::optional<OriginRecord>> origin(RecordId messageId) const;
  /// Those that wait in the chat's composer; chat 0: in the composer to all panes.
  Result<QList<AttachmentRecord>> draftFiles(RecordId chatId) const;
  /// The answers that stand side by side, in their order; empty: none do.
  Result<QList<ComparedAnswer>> comparedAnswers(RecordId chatId) const;
  Result<std::optional<ModelSettings>> modelSettings(const QString& path) const;
  Result<QList<ModelSettings>> allModelSettings() const;  ///< Last used first.
  Result<std::optional<QString>> setting(const QString& key) const;
  Result<RecordId> highestId() const;  ///< Over all tables, for IdSource.

  Result<void> putPersona(const PersonaRecord& persona);
  Result<void> removePersona(RecordId id);  ///< Its chats keep going without one.
  Result<void> putChat(const ChatRecord& chat);
  /// The chat with the files of its draft.
  Result<void> putDraft(const ChatRecord& chat, const QList<AttachmentRecord>& files);
  Result<void> putDraftToAll(const QList<AttachmentRecord>& files);
  /// Empty: no answers of the chat stand side by side any more.
  Result<void> putComparison(RecordId chatId, const QList<ComparedAnswer>& answers);
  Result<void> removeChat(RecordId id);  ///< With all of its messages.
  Result<void> putFolder(const FolderRecord& folder);
  Result<void> removeFolder(RecordId id);  ///< Its chats stay, without one.
  Result<void> putModelSettings(const ModelSettings& settings);
  Result<void> putSetting(const QString& key, const QString& value);

  /// A whole chat in one transaction, with its messages and origins.
  Result<void> createChat(const NewChat& chat);
  /// Removes messages with all that stand below them, which the caller lists too. If the chat's
  /// head goes, the nearest message above that stays becomes it; a caller that shows another branch
  /// puts the chat afterwards. Errors: kInvalidArgument if a message that stays hangs on one that
  /// goes.
  Result<void> removeMessages(RecordId chatId, const QList<RecordId>& ids);

  /// A user's message and the empty answer to it in one transaction, before
  /// inference starts; the chat's row (head, activity, title) with them.
  Result<void> beginTurn(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                         const MessageRecord& answer);
  /// The same with several answers to one message, all or none.
  Result<void> beginAnswers(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                            const QList<MessageRecord>& answers);
  /// The text of a streaming answer so far, and the ids that were sampled for it.
  Result<void> checkpointAnswer(RecordId messageId, const QString& text,
                                const QList<qint32>& tokens);
  /// The answer's last state, with its ids, counts and timings, and what it was made from. If only
  /// the latter cannot be kept, the answer is, and the first such failure is said in Qt's log.
  Result<void> finishAnswer(const MessageRecord& answer,
                            const std::optional<OriginRecord>& origin = {});

  /// A slice of the background work, some 20 ms: enters an older version's messages into the
  /// full-text index, clears away what was removed. False: there is nothing left to do.
  Result<bool> maintain();

  /// SQLite's own check; an empty string is "ok".
  Result<QString> integrityCheck() const;

  const Database& database() const { return *m_database; }

 private:
  explicit ConversationStore(std::unique_ptr<Database> database);
  Result<void> afterRemoval(Result<void> removed);
  void clearLog();
  void reportLostOrigin(RecordId messageId, const Error& error);

  std::unique_ptr<Database> m_database;
  bool m_logIsStale = false;  ///< The write-ahead log holds what was removed.
  bool m_lostOriginReported = false;
};

}  // namespace quire
