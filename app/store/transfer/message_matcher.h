#pragma once

#include <QHash>
#include <QHashSeed>
#include <QList>

#include <deque>

#include "app/store/records.h"
#include "app/store/transfer/chat_bundle.h"
#include "app/store/transfer/known_chats.h"

namespace quire {

/// The messages of a chat of this store, in which those of a bundle are found by their parent,
/// time, role and text. One serves any number of bundles, each in time in proportion to the bundle:
/// a file may hold thousands of chats that continue one chat.
/// Thread: one at a time.
class MessageMatcher {
 public:
  /// Oldest first.
  void append(const MessageRecord& added) {
    const MessageRecord& message = m_messages.emplace_back(added);
    // match() begins at the end of a list, so that the oldest of several equal messages comes last.
    m_byPlace[placeOf(message.parentId, message)].prepend(&message);
    if (message.status == MessageStatus::Interrupted) m_cutOff.insert(message.id, message);
  }

  bool isEmpty() const { return m_messages.empty(); }

  /// The ids of the bundle's messages that the chat has, with their ids there. Their parents match
  /// too, and each message of the chat matches once.
  QHash<RecordId, RecordId> match(const ChatBundle& bundle) {
    QHash<RecordId, RecordId> matched;
    QList<Found> found;
    for (const BundledMessage& bundled : bundle.messages) {
      const MessageRecord& wanted = bundled.message;
      if (wanted.id <= 0) continue;
      if (wanted.parentId != 0 && !matched.contains(wanted.parentId)) continue;
      const RecordId known = find(matched.value(wanted.parentId, 0), wanted, found);
      if (known != 0) matched.insert(wanted.id, known);
    }
    // For the next bundle.
    for (auto it = found.crbegin(); it != found.crend(); ++it) {
      m_byPlace[it->place].insert(it->index, it->message);
    }
    return matched;
  }

  /// The Interrupted messages with these ids.
  QHash<RecordId, MessageRecord> cutOff(const QHash<RecordId, RecordId>& matched) const {
    QHash<RecordId, MessageRecord> messages;
    for (const RecordId id : matched) {
      const auto message = m_cutOff.constFind(id);
      if (message != m_cutOff.constEnd()) messages.insert(id, *message);
    }
    return messages;
  }

 private:
  /// A message that was removed from a list of m_byPlace.
  struct Found {
    size_t place = 0;
    qsizetype index = 0;
    const MessageRecord* message = nullptr;
  };

  static bool isSame(const MessageRecord& a, const MessageRecord& b) {
    return a.createdMs == b.createdMs && a.role == b.role && tellingWords(a) == tellingWords(b);
  }

  static size_t placeOf(RecordId parentId, const MessageRecord& message) {
    return qHashMulti(QHashSeed::globalSeed(), parentId, message.createdMs, message.role.name,
                      tellingWords(message));
  }

  /// The id of a message that was not found yet; 0 for none.
  RecordId find(RecordId parentId, const MessageRecord& wanted, QList<Found>& found) {
    const size_t place = placeOf(parentId, wanted);
    const auto alike = m_byPlace.find(place);
    if (alike == m_byPlace.end()) return 0;
    for (qsizetype i = alike->size() - 1; i >= 0; --i) {
      const MessageRecord* message = alike->at(i);
      if (message->parentId != parentId || !isSame(*message, wanted)) continue;
      found.append({place, i, message});
      alike->removeAt(i);
      return message->id;
    }
    return 0;
  }

  std::deque<MessageRecord> m_messages;  ///< Its elements stay where they are.
  QHash<size_t, QList<const MessageRecord*>> m_byPlace;
  QHash<RecordId, MessageRecord> m_cutOff;
};

}  // namespace quire
