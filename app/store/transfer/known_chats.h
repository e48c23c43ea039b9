#pragma once

#include <QHash>
#include <QSet>

#include "app/store/database.h"
#include "app/store/transfer/chat_bundle.h"

namespace quire {

/// The text by which a message is recognised. Empty for an answer that has a time, because one copy
/// of it may have been cut off.
QString tellingWords(const MessageRecord& message);

/// Finds the chats of a store by their time and first message. Many chats may have the same time,
/// such as those of a file without times.
/// Thread: the database's.
/// Invariants: the first messages of a chat are read once, when its time is first asked for.
class KnownChats {
 public:
  explicit KnownChats(const Database& database) : m_database(database) {}

  void add(const ChatRecord& chat);
  /// Adds first messages of a chat that got messages.
  void addBeginnings(const ChatRecord& chat, const ChatBundle& bundle);
  /// The chats that may equal this one, in the order in which they were added. The caller compares
  /// them, because they are found by a hash.
  Result<QList<ChatRecord>> alike(const ChatBundle& bundle);

 private:
  Result<void> readMoment(qint64 createdMs);

  const Database& m_database;
  QList<ChatRecord> m_chats;
  QHash<RecordId, int> m_indexOf;      ///< The index in m_chats by id.
  QHash<qint64, QList<int>> m_unread;  ///< By time: chats whose first messages were not read.
  QHash<size_t, QSet<int>> m_byBeginning;
};

}  // namespace quire
