#include "app/chat/conversation.h"

#include <QRegularExpression>

#include <algorithm>

#include "app/documents/attachment_prompt.h"

namespace quire {
namespace {

constexpr int kMaxTitleLength = 48;

void appendTurn(QList<ChatTurn>& turns, const ChatTurn& turn) {
  if (turns.isEmpty() || turns.last().role != turn.role) {
    turns.append(turn);
    return;
  }
  turns.last().text += QStringLiteral("\n\n") + turn.text;
  turns.last().tokens.clear();
}

}  // namespace

Conversation::Conversation(const QList<MessageRecord>& messages, RecordId head) {
  for (MessageRecord message : messages) {
    // 0 stands above the roots: a message of that id would be above itself.
    if (message.id <= 0) continue;
    // A parent is always older. A file that says otherwise leads in a circle.
    if (message.parentId >= message.id || message.parentId < 0) message.parentId = 0;
    m_children[message.parentId].append(message.id);
    m_messages.insert(message.id, message);
  }
  for (QList<RecordId>& siblings : m_children) std::sort(siblings.begin(), siblings.end());
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
  m_messages.insert(message.id, message);
  m_children[message.parentId].append(message.id);
  setHead(message.id);
}

QList<AttachmentRecord> Conversation::attachments(RecordId id) const {
  const MessageRecord* message = find(id);
  return message ? message->attachments() : QList<AttachmentRecord>();
}

void Conversation::removeLeaf(RecordId id) {
  const MessageRecord* message = find(id);
  if (!message || !m_children.value(id).isEmpty()) return;
  const RecordId parent = message->parentId;
  m_children[parent].removeOne(id);
  m_messages.remove(id);
  if (m_path.contains(id)) setHead(newestLeaf(parent));
}

QList<RecordId> Conversation::branch(RecordId id) const {
  QList<RecordId> ids;
  for (const MessageRecord* at = find(id); at; at = find(at->parentId)) ids.prepend(at->id);
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
  for (const MessageRecord& message : messages) {
    m_messages.insert(message.id, message);
    QList<RecordId>& siblings = m_children[message.parentId];
    siblings.insert(std::lower_bound(siblings.begin(), siblings.end(), message.id), message.id);
  }
  if (find(head)) setHead(head);
}

MessageVersion Conversation::version(RecordId id) const {
  const MessageRecord* message = find(id);
  if (!message) return {};
  const QList<RecordId> siblings = m_children.value(message->parentId);
  return {static_cast<int>(siblings.indexOf(id)) + 1, static_cast<int>(siblings.size())};
}

bool Conversation::showVersion(RecordId id, int step) {
  const MessageRecord* message = find(id);
  if (!message) return false;
  const QList<RecordId> siblings = m_children.value(message->parentId);
  const qsizetype wanted = siblings.indexOf(id) + step;
  if (wanted < 0 || wanted >= siblings.size()) return false;
  setHead(newestLeaf(siblings[wanted]));
  return true;
}

bool Conversation::showMessage(RecordId id) {
  if (!find(id)) return false;
  if (!m_path.contains(id)) setHead(newestLeaf(id));
  return true;
}

namespace {

/// An answer that never began, because its message was too long, say.
bool isFailure(const MessageRecord& message) {
  return message.role == MessageRole::Assistant && message.status == MessageStatus::Failed &&
         message.text().isEmpty();
}

}  // namespace

QList<ChatTurn> Conversation::turns(const QString& systemPrompt, RecordId last) const {
  QList<ChatTurn> branch;
  QList<const MessageRecord*> messages;
  for (const MessageRecord* at = find(last); at; at = find(at->parentId)) messages.prepend(at);
  if (!systemPrompt.isEmpty()) branch.append({QStringLiteral("system"), systemPrompt, {}});
  for (qsizetype i = 0; i < messages.size(); ++i) {
    const MessageRecord* message = messages[i];
    if (message->role == MessageRole::User) {
      if (i + 1 < messages.size() && isFailure(*messages[i + 1])) continue;
      const QString text = attachmentPrompt(message->attachments(), message->text());
      appendTurn(branch, {QStringLiteral("user"), text, {}});
    } else if (!message->text().isEmpty()) {
      appendTurn(branch, {QStringLiteral("assistant"), message->text(), message->tokens});
    }
  }
  return branch;
}

QList<ChatTurn> Conversation::turnsBefore(const QString& next, const QString& systemPrompt,
                                          RecordId last) const {
  QList<ChatTurn> branch = turns(systemPrompt, last);
  appendTurn(branch, {QStringLiteral("user"), next, {}});
  return branch;
}

void Conversation::setHead(RecordId id) {
  m_path.clear();
  for (const MessageRecord* at = find(id); at; at = find(at->parentId)) m_path.prepend(at->id);
}

RecordId Conversation::newestLeaf(RecordId id) const {
  RecordId leaf = id;
  for (auto it = m_children.constFind(leaf); it != m_children.cend() && !it->isEmpty();
       it = m_children.constFind(leaf)) {
    leaf = it->last();
  }
  return leaf;
}

QString titleFromMessage(const QString& text) {
  static const QRegularExpression kMarks(QStringLiteral("^[#>*\\-\\s`]+"));
  QString title;
  for (const QString& line : text.split(u'\n')) {
    title = QString(line).remove(kMarks).simplified();
    if (!title.isEmpty()) break;
  }
  if (title.size() <= kMaxTitleLength) return title;
  const qsizetype space = title.lastIndexOf(u' ', kMaxTitleLength);
  qsizetype cut = space > kMaxTitleLength / 2 ? space : kMaxTitleLength;
  if (title[cut - 1].isHighSurrogate()) --cut;
  return title.left(cut) + QStringLiteral("…");
}

}  // namespace quire
