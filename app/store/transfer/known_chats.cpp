#include "app/store/transfer/known_chats.h"

#include <QHashSeed>

#include <algorithm>

#include "app/store/message_table.h"
#include "app/store/name_limits.h"

namespace quire {
namespace {

/// The title counts only for a chat without a time.
size_t beginningOf(const ChatRecord& chat, const MessageRecord& first) {
  const QString title = chat.createdMs == 0 ? visibleName(chat.title) : QString();
  return qHashMulti(QHashSeed::globalSeed(), chat.createdMs, title, first.createdMs,
                    first.role.name, tellingWords(first));
}

/// A chat without messages is recognised by its title.
size_t beginningOf(const ChatRecord& chat) {
  return qHashMulti(QHashSeed::globalSeed(), chat.createdMs, visibleName(chat.title));
}

}  // namespace

QString tellingWords(const MessageRecord& message) {
  const bool hasMoment = message.createdMs != 0;
  return hasMoment && message.role == MessageRole::Assistant ? QString() : message.text();
}

void KnownChats::add(const ChatRecord& chat) {
  const int index = static_cast<int>(m_chats.size());
  m_chats.append(chat);
  m_indexOf.insert(chat.id, index);
  m_unread[chat.createdMs].append(index);
}

void KnownChats::addBeginnings(const ChatRecord& chat, const ChatBundle& bundle) {
  const auto index = m_indexOf.constFind(chat.id);
  if (index == m_indexOf.constEnd()) return;
  for (const BundledMessage& bundled : bundle.messages) {
    if (bundled.message.parentId != 0) continue;
    m_byBeginning[beginningOf(m_chats[*index], bundled.message)].insert(*index);
  }
}

Result<QList<ChatRecord>> KnownChats::alike(const ChatBundle& bundle) {
  if (auto done = readMoment(bundle.chat.createdMs); !done) return done.error();
  QSet<int> found;
  if (bundle.messages.isEmpty()) found = m_byBeginning.value(beginningOf(bundle.chat));
  for (const BundledMessage& bundled : bundle.messages) {
    if (bundled.message.parentId != 0) continue;
    found.unite(m_byBeginning.value(beginningOf(bundle.chat, bundled.message)));
  }
  QList<int> indices(found.begin(), found.end());
  std::sort(indices.begin(), indices.end());
  QList<ChatRecord> chats;
  for (const int index : std::as_const(indices)) chats.append(m_chats[index]);
  return chats;
}

Result<void> KnownChats::readMoment(qint64 createdMs) {
  for (const int index : m_unread.take(createdMs)) {
    const ChatRecord& chat = m_chats[index];
    const auto messages = message_table::readChat(m_database, chat.id);
    if (!messages) return messages.error();
    if (messages->isEmpty()) m_byBeginning[beginningOf(chat)].insert(index);
    for (const MessageRecord& message : *messages) {
      if (message.parentId != 0) continue;
      m_byBeginning[beginningOf(chat, message)].insert(index);
    }
  }
  return {};
}

}  // namespace quire
