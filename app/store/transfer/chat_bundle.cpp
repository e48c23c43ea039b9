#include "app/store/transfer/chat_bundle.h"

#include <QSet>

#include <algorithm>
#include <utility>

#include "app/store/chat_table.h"
#include "app/store/message_table.h"

namespace quire {

Result<ChatBundle> readBundle(const Database& database, const ChatRecord& chat) {
  ChatBundle bundle{.chat = chat};
  auto messages = message_table::readChat(database, chat.id);
  if (!messages) return messages.error();
  for (MessageRecord& message : *messages) {
    auto origin = origin_table::readStored(database, message.id);
    if (!origin) return origin.error();
    bundle.messages.append({std::move(message), std::move(*origin)});
  }
  // What stands beside the messages: where it cannot be read, they are no less whole.
  bundle.draftFiles =
      chat_table::readDraftFiles(database, chat.id).value_or(QList<AttachmentRecord>());
  bundle.compared = chat_table::readComparison(database, chat.id).value_or(QList<ComparedAnswer>());
  return bundle;
}

ChatBundle readRemains(const Database& database, const ChatRecord& chat) {
  ChatBundle bundle{.chat = chat};
  QList<RecordId> ids;
  Statement select(database, "SELECT id FROM message WHERE chat_id = ?");
  // Those that come before the damage, if there is any here.
  static_cast<void>(
      select.bind(chat.id).forEach([&](const Statement& row) { ids.append(row.number(0)); }));
  std::sort(ids.begin(), ids.end());
  QSet<RecordId> kept = {0};
  for (const RecordId id : std::as_const(ids)) {
    const auto message = message_table::readOne(database, id);
    if (!message || !*message || !kept.contains((*message)->parentId)) continue;
    kept.insert(id);
    bundle.messages.append({**message, {}});
  }
  return bundle;
}

}  // namespace quire
