#include "app/store/transfer/chat_bundle.h"

#include <QSet>

#include <utility>

#include "app/store/backup/damaged_store.h"
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
  // An error here does not make the messages unusable.
  bundle.draftFiles =
      chat_table::readDraftFiles(database, chat.id).value_or(QList<AttachmentRecord>());
  bundle.compared = chat_table::readComparison(database, chat.id).value_or(QList<ComparedAnswer>());
  return bundle;
}

ChatBundle readRemains(const Database& database, const ChatRecord& chat) {
  ChatBundle bundle{.chat = chat};
  QSet<RecordId> kept = {0};
  for (const MessageRecord& message : wholeMessages(database, chat.id)) {
    if (!kept.contains(message.parentId)) continue;
    kept.insert(message.id);
    bundle.messages.append({message, {}});
  }
  return bundle;
}

}  // namespace quire
