#pragma once

#include <QHash>
#include <QSet>

#include "app/store/database.h"
#include "app/store/transfer/chat_bundle.h"

namespace quire {

/// The words that a message is known by. An answer that was cut off in one copy and went on in the
/// other is the same answer: its moment tells. Without one, its words do.
QString tellingWords(const MessageRecord& message);

/// The chats of a store by how they begin: when, and with which message. Of many that began at the
/// same moment, as those of a file without times do, only the ones that begin alike are looked at.
/// Thread: the database's.
/// Invariants: the beginning of a chat is read once, when one of its moment is first asked for.
class KnownChats {
 public:
  explicit KnownChats(const Database& database) : m_database(database) {}

  void add(const ChatRecord& chat);
  /// A chat that got messages: what it begins with may be more than was read.
  void addBeginnings(const ChatRecord& chat, const ChatBundle& bundle);
  /// Those that may be this one, in the order in which they were added. What was hashed has to be
  /// compared yet.
  Result<QList<ChatRecord>> alike(const ChatBundle& bundle);

 private:
  Result<void> readMoment(qint64 createdMs);

  const Database& m_database;
  QList<ChatRecord> m_chats;
  QHash<RecordId, int> m_indexOf;      ///< Of m_chats.
  QHash<qint64, QList<int>> m_unread;  ///< By their moment.
  QHash<size_t, QSet<int>> m_byBeginning;
};

}  // namespace quire
