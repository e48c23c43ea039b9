#include "app/store/transfer/chat_bundle.h"

#include <QSet>

#include <utility>

#include "app/store/backup/damaged_store.h"
#include "app/store/chat_table.h"
#include "app/store/message_table.h"
#include "app/store/record_rows.h"

namespace quire {

Result<ChatBundle> readBundle(const Database& database, const ChatRecord& chat) {
  auto wholeChat = withStoredNames(database, chat);
  if (!wholeChat) return wholeChat.error();
  ChatBundle bundle{.chat = std::move(*wholeChat)};
  auto messages = message_table::readChat(database, chat.id);
  if (!messages) return messages.error();
  for (MessageRecord& message : *messages) {
    auto whole = withStoredNames(database, std::move(message));
    if (!whole) return whole.error();
    auto origin = origin_table::readStored(database, whole->id);
    if (!origin) return origin.error();
    bundle.messages.append({std::move(*whole), std::move(*origin)});
  }
  // An error here does not make the messages unusable.
  bundle.draftFiles =
      chat_table::readDraftFiles(database, chat.id).value_or(QList<AttachmentRecord>());
  bundle.compared = chat_table::readComparison(database, chat.id).value_or(QList<ComparedAnswer>());
  return bundle;
}

ChatBundle readRemains(const Database& database, const ChatRecord& chat) {
  ChatBundle bundle{.chat = withStoredNames(database, chat).value_or(chat)};
  QSet<RecordId> kept = {0};
  for (const MessageRecord& message : wholeMessages(database, chat.id)) {
    if (!kept.contains(message.parentId)) continue;
    kept.insert(message.id);
    bundle.messages.append({withStoredNames(database, message).value_or(message), {}});
  }
  return bundle;
}

}  // namespace quire
