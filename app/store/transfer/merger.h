#pragma once

#include <QHash>

#include <optional>

#include "app/store/database.h"
#include "app/store/id_source.h"
#include "app/store/records.h"
#include "app/store/transfer/chat_bundle.h"
#include "app/store/transfer/known_chats.h"
#include "app/store/transfer/known_records.h"
#include "app/store/transfer/message_matcher.h"
#include "app/store/transfer/transfer.h"

namespace quire {

/// Merges records of a file or of another store into this one. Records that the store has already
/// are recognised by their content (times, roles, texts), not by their ids, and are never
/// overwritten by older ones; the others get new ids. An answer that was cut off here is replaced
/// by a copy whose text goes on.
/// Thread: the database's.
/// Invariants: every call is one transaction, or a part of the caller's; one that fails has changed
/// nothing, and ends the merge.
class Merger {
 public:
  enum class Policy {
    Import,  ///< Adds the messages that a chat lacks.
    /// Adds them only if the copy of the chat was used later: what was deleted here stays away.
    Restore,
  };

  /// Where the source is the store that a rescue put aside, and this store the one in its place.
  struct Rescue {
    /// The source's messages from this id on are later than all that this store had at first; 0
    /// if ids do not tell.
    RecordId firstLaterId = 0;
    bool isResumed = false;  ///< Personas, folders and settings that are missing were deleted.
  };

  Merger(const Database& database, IdSource& ids, Policy policy)
      : Merger(database, ids, policy, Rescue()) {}
  Merger(const Database& database, IdSource& ids, Policy policy, const Rescue& rescue);

  /// Personas and folders are added before the chats that refer to them.
  Result<void> addPersona(const PersonaRecord& persona);
  Result<void> addFolder(const FolderRecord& folder);
  Result<void> addModelSettings(const ModelSettings& settings);
  /// Leaves out what another store or a file must not set (setting_keys.h).
  Result<void> addSetting(const QString& key, const QString& value);
  Result<void> addChat(const ChatBundle& bundle);
  /// Called after the last chat: links forks with the messages at which they began.
  Result<void> finish();

  MergeReport& report() { return m_report; }

 private:
  using IdMap = QHash<RecordId, RecordId>;  ///< Ids here, by those in the source.

  struct Existing {
    ChatRecord chat;
    IdMap messages;                         ///< The bundle's messages that the chat has.
    QHash<RecordId, MessageRecord> cutOff;  ///< Of these the Interrupted ones, by their ids here.
  };

  Result<void> readKnown();
  template <typename Record>
  Result<void> addUnlessKnown(Record record, KnownRecords<Record>& known, IdMap& idOf,
                              int& numAdded);
  Result<std::optional<Existing>> findChat(const ChatBundle& bundle);
  Result<MessageMatcher*> matcherOf(RecordId chatId);
  Result<void> createChat(const ChatBundle& bundle);
  Result<void> addBeside(const ChatBundle& bundle, RecordId chatId, const IdMap& idOf);
  Result<void> completeChat(const ChatBundle& bundle, const Existing& existing);
  bool hasLaterMessages(const ChatBundle& bundle) const;
  Result<int> completeAnswers(const ChatBundle& bundle, const Existing& existing,
                              const IdMap& idOf);
  Result<int> addMessages(const ChatBundle& bundle, RecordId chatId, IdMap& idOf);
  Result<void> addMessage(const BundledMessage& bundled, RecordId chatId, const IdMap& idOf,
                          RecordId newId);
  MessageRecord asStored(MessageRecord message) const;
  Result<void> putOrigin(const BundledMessage& bundled, const IdMap& idOf, RecordId id);
  ChatRecord adopted(const ChatRecord& chat, RecordId id, RecordId head) const;

  const Database& m_database;
  IdSource& m_ids;
  const Policy m_policy;
  const Rescue m_rescue;
  bool m_isReady = false;
  KnownChats m_known;
  std::optional<MessageMatcher> m_matcher;  ///< Of the chat that was looked at last.
  RecordId m_matcherChat = 0;
  qint64 m_matcherVersion = 0;  ///< The database's data_version when it was made.
  KnownRecords<PersonaRecord> m_personas;
  KnownRecords<FolderRecord> m_folders;
  IdMap m_personaOf;
  IdMap m_folderOf;
  IdMap m_messageOf;
  IdMap m_forks;  ///< By the id of an added chat: the message of the source at which it began.
  MergeReport m_report;
};

}  // namespace quire
