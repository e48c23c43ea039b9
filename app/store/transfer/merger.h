#pragma once

#include <QHash>

#include "app/store/database.h"
#include "app/store/id_source.h"
#include "app/store/records.h"
#include "app/store/transfer/chat_bundle.h"
#include "app/store/transfer/known_chats.h"
#include "app/store/transfer/transfer.h"

namespace quire {

/// Brings records of a file or of another store into this one. What is there already is recognised
/// by what it is (times, roles, words), not by its id, and is never overwritten by something older;
/// the rest gets new ids.
/// Thread: the database's.
/// Invariants: every call is one transaction; one that fails has changed nothing.
class Merger {
 public:
  enum class Policy {
    Import,   ///< Messages that a chat lacks are added to it.
    Restore,  ///< Only to a chat that was not active since.
  };

  Merger(const Database& database, IdSource& ids, Policy policy);

  /// Personas and folders come before the chats that name them.
  Result<void> addPersona(const PersonaRecord& persona);
  Result<void> addFolder(const FolderRecord& folder);
  Result<void> addModelSettings(const ModelSettings& settings);
  Result<void> addSetting(const QString& key, const QString& value);
  Result<void> addChat(const ChatBundle& bundle);
  /// After the last chat: forks find the messages they began at.
  Result<void> finish();

  MergeReport& report() { return m_report; }

 private:
  using IdMap = QHash<RecordId, RecordId>;  ///< Ids here, by those in the source.

  struct Existing {
    ChatRecord chat;
    IdMap messages;  ///< Of the bundle's ids, those that are there.
  };

  Result<void> readKnown();
  template <typename Record>
  Result<void> addUnlessKnown(Record record, QList<Record>& known, IdMap& idOf, int& numAdded);
  Result<std::optional<Existing>> findChat(const ChatBundle& bundle);
  Result<void> createChat(const ChatBundle& bundle);
  Result<void> addBeside(const ChatBundle& bundle, RecordId chatId, const IdMap& idOf);
  Result<void> completeChat(const ChatBundle& bundle, const Existing& existing);
  Result<int> addMessages(const ChatBundle& bundle, RecordId chatId, IdMap& idOf);
  Result<void> addMessage(const BundledMessage& bundled, RecordId chatId, const IdMap& idOf,
                          RecordId newId);
  ChatRecord adopted(const ChatRecord& chat, RecordId id, RecordId head) const;

  const Database& m_database;
  IdSource& m_ids;
  const Policy m_policy;
  bool m_isReady = false;
  KnownChats m_known;
  QList<PersonaRecord> m_personas;
  QList<FolderRecord> m_folders;
  IdMap m_personaOf;
  IdMap m_folderOf;
  IdMap m_messageOf;
  QHash<RecordId, RecordId> m_forks;  ///< Added chats, by id here: the source's message.
  MergeReport m_report;
};

}  // namespace quire
