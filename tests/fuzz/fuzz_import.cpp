#include <QString>

#include "app/store/conversation_store.h"
#include "app/store/transfer/transfer.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/store_sample.h"

namespace quire::fuzz {
namespace {

bool go_on(qint64, qint64) {
  return true;
}

/// Everything that the import stored can be read, and refers to what is there.
void check_store(const QString& folder) {
  const auto store = ConversationStore::openForReading(folder);
  require(store.has_value(), "the store does not open any more");
  require((*store)->integrityCheck().value_or(QStringLiteral("?")).isEmpty(),
          "the store is damaged");
  const auto chats = (*store)->chats();
  require(chats.has_value(), "the chats cannot be read");
  for (const ChatRecord& chat : *chats) {
    const auto messages = (*store)->messages(chat.id);
    require(messages.has_value(), "the messages cannot be read");
    bool has_head = chat.headMessageId == 0;
    for (const MessageRecord& message : *messages) has_head |= message.id == chat.headMessageId;
    require(has_head, "a chat whose head is none of its messages");
  }
  require((*store)->personas().has_value() && (*store)->folders().has_value(),
          "personas or folders cannot be read");
}

}  // namespace

void fuzz_import(std::string_view bytes) {
  static const std::string kEmpty = empty_store();
  static const ScratchFolder folder;
  folder.clear();
  folder.write("quire.db", kEmpty);
  const bool is_json = bytes.starts_with('{');
  const QString place = QString::fromStdString(folder.path().string());
  const QString path =
      QString::fromStdString(folder.write(is_json ? "in.json" : "in.md", bytes).string());
  (void)exportKindOf(path);
  const auto import = is_json ? importJson : importMarkdown;
  IdSource ids(0);
  const auto first = import(place, path, ids, go_on);
  if (!first) require_sentence(first.error(), {"in.json", "in.md", "quire.db"});
  check_store(place);
  if (!first) return;
  const auto second = import(place, path, ids, go_on);
  require(second.has_value(), "an import that fails the second time");
  require(second->chatsAdded == 0 && second->messagesAdded == 0, "a second import adds something");
}

}  // namespace quire::fuzz
