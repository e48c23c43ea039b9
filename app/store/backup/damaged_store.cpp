#include "app/store/backup/damaged_store.h"

#include <QHash>
#include <QSet>

#include <algorithm>

#include "app/store/chat_table.h"
#include "app/store/database.h"
#include "app/store/message_table.h"

namespace quire {
namespace {

/// The ids up to the first error.
QList<RecordId> idsOf(Statement& select) {
  QList<RecordId> ids;
  static_cast<void>(select.forEach([&](const Statement& row) { ids.append(row.number(0)); }));
  return ids;
}

/// The ids found by the index and by the table from both ends: each may be damaged elsewhere.
QList<RecordId> chatIds(const Database& database) {
  QSet<RecordId> ids;
  for (const char* from :
       {"chat", "chat NOT INDEXED ORDER BY id", "chat NOT INDEXED ORDER BY id DESC"}) {
    Statement select(database, std::string("SELECT id FROM ") + from);
    for (const RecordId id : idsOf(select)) ids.insert(id);
  }
  return ids.values();
}

/// From the first message to the head; empty if one of them is missing.
QList<MessageRecord> branchTo(RecordId head, const QList<MessageRecord>& messages) {
  QHash<RecordId, MessageRecord> byId;
  for (const MessageRecord& message : messages) byId.insert(message.id, message);
  QList<MessageRecord> branch;
  for (RecordId id = head; id != 0; id = branch.first().parentId) {
    if (!byId.contains(id)) return {};
    branch.prepend(byId.take(id));  // take() excludes cycles in a damaged store.
  }
  return branch;
}

}  // namespace

Result<QList<ChatRecord>> readableChats(const QString& path) {
  const auto database = openFileForReading(path);
  if (!database) return database.error();
  return readableChats(**database);
}

QList<ChatRecord> readableChats(const Database& database) {
  if (auto all = chat_table::readAll(database)) return *all;
  QList<ChatRecord> chats;
  for (const RecordId id : chatIds(database)) {
    const auto chat = chat_table::readOne(database, id);
    if (chat && *chat) chats.append(**chat);
  }
  std::sort(chats.begin(), chats.end(),
            [](const ChatRecord& a, const ChatRecord& b) { return a.activeMs > b.activeMs; });
  return chats;
}

QList<MessageRecord> wholeMessages(const Database& database, RecordId chatId) {
  Statement select(database, "SELECT id FROM message WHERE chat_id = ?");
  QList<RecordId> ids = idsOf(select.bind(chatId));
  std::sort(ids.begin(), ids.end());
  QList<MessageRecord> messages;
  for (const RecordId id : std::as_const(ids)) {
    const auto message = message_table::readOne(database, id);
    if (message && *message) messages.append(**message);
  }
  return messages;
}

Result<QList<MessageRecord>> readableMessages(const QString& path, const ChatRecord& chat) {
  const auto database = openFileForReading(path);
  if (!database) return database.error();
  const QList<MessageRecord> messages = wholeMessages(**database, chat.id);
  const QList<MessageRecord> branch = branchTo(chat.headMessageId, messages);
  return branch.isEmpty() ? messages : branch;
}

}  // namespace quire
