#include "app/chat/chat_fork.h"

#include <QCoreApplication>
#include <QDateTime>

namespace quire {
namespace {

QString forkTitle(const QString& title) {
  const QString mark = QCoreApplication::translate("ChatFork", "(fork)");
  if (title.endsWith(mark)) return title;
  return title.isEmpty() ? mark : title + u' ' + mark;
}

}  // namespace

NewChat forkOf(const ChatRecord& chat, const Conversation& conversation, RecordId last,
               IdSource& ids) {
  NewChat fork;
  fork.chat = chat;
  fork.chat.id = ids.next();
  fork.chat.title = forkTitle(chat.title);
  fork.chat.titleIsAutomatic = false;
  fork.chat.color = (chat.color + 1) % kNumChatColors;
  fork.chat.draft.clear();
  fork.chat.forkedFrom = last;
  fork.chat.pinned = fork.chat.archived = fork.chat.unread = false;
  fork.chat.createdMs = fork.chat.activeMs = QDateTime::currentMSecsSinceEpoch();
  QHash<RecordId, RecordId> copies;
  for (const RecordId id : conversation.branch(last)) {
    MessageRecord copy = *conversation.find(id);
    copy.id = ids.next();
    copy.chatId = fork.chat.id;
    copy.parentId = copies.value(copy.parentId);
    copies.insert(id, copy.id);
    if (copy.role == MessageRole::Assistant) fork.copiedFrom.insert(copy.id, id);
    fork.chat.headMessageId = copy.id;
    fork.messages.append(copy);
  }
  return fork;
}

ForkedPart forkedPartOf(const ChatRecord& chat, const Conversation& conversation,
                        const MessageRecord& answer) {
  if (chat.forkedFrom == 0) return {};
  const MessageRecord* copied = nullptr;
  for (const RecordId id : conversation.branch(answer.parentId)) {
    const MessageRecord* message = conversation.find(id);
    const bool isOwn = message->createdMs > chat.createdMs;
    if (isOwn && message->role == MessageRole::Assistant) return {};
    if (!isOwn) copied = message;
  }
  if (copied == nullptr) return {};
  ForkedPart part{.isFirst = true};
  // Below a copied question nothing is new; below a copied answer, what was asked since.
  if (copied->id != answer.parentId && copied->role == MessageRole::Assistant) {
    const int written =
        copied->tokens.isEmpty() ? copied->outputTokens : static_cast<int>(copied->tokens.size());
    if (copied->promptTokens > 0) part.tokens = copied->promptTokens + written;
  }
  return part;
}

}  // namespace quire
