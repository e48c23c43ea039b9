#include "app/chat/conversation.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QRegularExpression>

#include <algorithm>

#include "app/documents/attachment_file.h"

namespace quire {
namespace {

void appendTurn(QList<ChatTurn>& turns, const ChatTurn& turn) {
  if (turns.isEmpty() || turns.last().role != turn.role) {
    turns.append(turn);
    return;
  }
  turns.last().text += QStringLiteral("\n\n") + turn.text;
  turns.last().tokens.clear();
}

/// Whether the answer failed before it had any text, for example because its message was too long.
bool isFailure(const MessageRecord& message) {
  return message.role == MessageRole::Assistant && message.status == MessageStatus::Failed &&
         message.text().isEmpty();
}

QString forkTitle(const QString& title) {
  const QString mark = QCoreApplication::translate("ChatFork", "(fork)");
  if (title.endsWith(mark)) return title;
  return title.isEmpty() ? mark : title + u' ' + mark;
}

}  // namespace

Conversation::Conversation(const QList<MessageRecord>& messages, RecordId head) {
  for (const MessageRecord& message : messages) add(message);
  setHead(m_messages.contains(head) ? head : newestLeaf(0));
}

const MessageRecord* Conversation::find(RecordId id) const {
  const auto it = m_messages.constFind(id);
  return it == m_messages.cend() ? nullptr : &it.value();
}

MessageRecord* Conversation::find(RecordId id) {
  const auto it = m_messages.find(id);
  return it == m_messages.end() ? nullptr : &it.value();
}

void Conversation::append(const MessageRecord& message) {
  if (add(message)) setHead(message.id);
}

/// False if a message with this id is there, or the id is not valid.
bool Conversation::add(MessageRecord message) {
  // 0 is the parent of the first messages, so no message may have it as its id. A second one with
  // an id could become its own ancestor.
  if (message.id <= 0 || m_messages.contains(message.id)) return false;
  // A parent is always older than its children; otherwise an imported file could form a cycle.
  if (message.parentId >= message.id || message.parentId < 0) message.parentId = 0;
  QList<RecordId>& siblings = m_children[message.parentId];
  siblings.insert(std::lower_bound(siblings.begin(), siblings.end(), message.id), message.id);
  m_messages.insert(message.id, message);
  return true;
}

QList<AttachmentRecord> Conversation::attachments(RecordId id) const {
  const MessageRecord* message = find(id);
  return message ? message->attachments() : QList<AttachmentRecord>();
}

QList<RecordId> Conversation::branch(RecordId id) const {
  QList<RecordId> ids;
  // There is no cycle (see add()); the count makes sure that this ends.
  for (const MessageRecord* at = find(id); at && ids.size() < m_messages.size();
       at = find(at->parentId)) {
    ids.prepend(at->id);
  }
  return ids;
}

QList<RecordId> Conversation::subtree(RecordId id) const {
  if (!find(id)) return {};
  QList<RecordId> ids = {id};
  for (qsizetype i = 0; i < ids.size(); ++i) ids += m_children.value(ids[i]);
  return ids;
}

QList<MessageRecord> Conversation::take(RecordId id) {
  const MessageRecord* message = find(id);
  if (!message) return {};
  const RecordId parent = message->parentId;
  const bool isShown = m_path.contains(id);
  QList<MessageRecord> taken;
  for (const RecordId one : subtree(id)) {
    taken.append(m_messages.take(one));
    m_children.remove(one);
  }
  m_children[parent].removeOne(id);
  if (isShown) setHead(newestLeaf(parent));
  return taken;
}

void Conversation::restore(const QList<MessageRecord>& messages, RecordId head) {
  for (const MessageRecord& message : messages) add(message);
  if (find(head)) setHead(head);
}

/// The message and its siblings, oldest first; empty if there is no such message.
QList<RecordId> Conversation::versions(RecordId id) const {
  const MessageRecord* message = find(id);
  return message ? m_children.value(message->parentId) : QList<RecordId>();
}

MessageVersion Conversation::version(RecordId id) const {
  const QList<RecordId> siblings = versions(id);
  if (siblings.isEmpty()) return {};
  return {static_cast<int>(siblings.indexOf(id)) + 1, static_cast<int>(siblings.size())};
}

bool Conversation::showVersion(RecordId id, int step) {
  const QList<RecordId> siblings = versions(id);
  const qsizetype wanted = siblings.indexOf(id) + step;
  if (wanted < 0 || wanted >= siblings.size()) return false;
  select(siblings[wanted]);
  return true;
}

bool Conversation::showMessage(RecordId id) {
  if (!find(id)) return false;
  if (!m_path.contains(id)) select(id);
  return true;
}

QList<ChatTurn> Conversation::turns(const QString& systemPrompt, RecordId last) const {
  const QList<RecordId> ids = branch(last);
  QList<ChatTurn> turns;
  if (!systemPrompt.isEmpty()) turns.append({QStringLiteral("system"), systemPrompt, {}});
  for (qsizetype i = 0; i < ids.size(); ++i) {
    const MessageRecord* message = find(ids[i]);
    if (message->role == MessageRole::User) {
      if (i + 1 < ids.size() && isFailure(*find(ids[i + 1]))) continue;
      const QString text = attachmentPrompt(message->attachments(), message->text());
      appendTurn(turns, {QStringLiteral("user"), text, {}});
    } else if (!message->text().isEmpty()) {
      appendTurn(turns, {QStringLiteral("assistant"), message->text(), message->tokens,
                         message->imported});
    }
  }
  return turns;
}

QList<ChatTurn> Conversation::turnsBefore(const QString& next, const QString& systemPrompt,
                                          RecordId last) const {
  QList<ChatTurn> all = turns(systemPrompt, last);
  appendTurn(all, {QStringLiteral("user"), next, {}});
  return all;
}

RecordId Conversation::newestLeaf(RecordId id) const {
  RecordId leaf = id;
  while (!m_children.value(leaf).isEmpty()) leaf = m_children.value(leaf).last();
  return leaf;
}

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
  // After a copied question the whole prompt is copied; after a copied answer, all but the messages
  // that were added since.
  if (copied->id != answer.parentId && copied->role == MessageRole::Assistant) {
    const int written =
        copied->tokens.isEmpty() ? copied->outputTokens : static_cast<int>(copied->tokens.size());
    if (copied->promptTokens > 0) part.tokens = copied->promptTokens + written;
  }
  return part;
}

QString titleFromMessage(const QString& text, int maxLength) {
  static const QRegularExpression kMarks(QStringLiteral("^[#>*\\-\\s`]+"));
  QString title;
  for (const QString& line : text.split(u'\n')) {
    title = QString(line).remove(kMarks).simplified();
    if (!title.isEmpty()) break;
  }
  if (title.size() <= maxLength) return title;
  const qsizetype space = title.lastIndexOf(u' ', maxLength);
  qsizetype cut = space > maxLength / 2 ? space : maxLength;
  if (title[cut - 1].isHighSurrogate()) --cut;
  return title.left(cut) + QStringLiteral("…");
}

QString titleFromMessage(const QString& text, const QList<AttachmentRecord>& files, int maxLength) {
  const bool hasText = !text.trimmed().isEmpty() || files.isEmpty();
  return titleFromMessage(hasText ? text : files.first().name, maxLength);
}

}  // namespace quire
