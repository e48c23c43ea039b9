#include "app/chat/chat_messages.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include <algorithm>
#include <utility>

#include "app/chat/chat_model.h"
#include "app/richtext/message_copy.h"

namespace quire {

ChatMessages::ChatMessages(ChatModel& chat) : m_chat(chat) {
  connect(&m_undo, &PendingUndo::changed, this, &ChatMessages::undoChanged);
  connect(chat.timeline(), &TimelineModel::rowsInserted, this, [this] {
    if (m_revealedMessage != 0) emit revealChanged();
  });
  m_copiedTimer.setSingleShot(true);
  m_copiedTimer.setInterval(kCopiedMs);
  connect(&m_copiedTimer, &QTimer::timeout, this, [this] { setCopied(0); });
}

void ChatMessages::load() {
  if (const RecordId wanted = std::exchange(m_revealedMessage, 0); wanted != 0) reveal(wanted);
}

void ChatMessages::onPathChanged() {
  if (!m_chat.m_conversation.path().contains(m_revealedMessage)) endReveal();
}

void ChatMessages::showVersion(qint64 messageId, int step) {
  if (!m_chat.turns()->canChange() || !m_chat.m_conversation.showVersion(messageId, step)) return;
  m_chat.announcePath();
}

void ChatMessages::reveal(RecordId messageId) {
  if (!m_chat.isLoaded()) {
    m_revealedMessage = messageId;
    return;
  }
  const bool isShown = m_chat.m_conversation.path().contains(messageId);
  if (!isShown && m_chat.turns()->isGenerating()) {
    return m_chat.setNotice(
        tr("That message is in another version of this chat. It can be shown when the answer is "
           "complete."));
  }
  if (!isShown) m_chat.turns()->keepAllAnswers();
  if (!m_chat.m_conversation.showMessage(messageId)) return;
  if (!isShown) m_chat.announcePath();
  m_revealedMessage = messageId;
  emit revealChanged();
}

int ChatMessages::revealedRow() const {
  return m_chat.m_timeline.firstRowOf(m_revealedMessage);
}

void ChatMessages::endReveal() {
  if (std::exchange(m_revealedMessage, 0) != 0) emit revealChanged();
}

AttachmentList* ChatMessages::filesOf(qint64 messageId) {
  if (AttachmentList* known = m_files.value(messageId)) return known;
  const QList<AttachmentRecord> records = m_chat.m_conversation.attachments(messageId);
  if (records.isEmpty()) return nullptr;
  auto* files = new AttachmentList(m_chat.m_services.backend, m_chat.m_services.models, this);
  files->keepCounts();
  files->setModel(m_chat.m_record.modelPath);
  files->setRecords(records);
  m_files.insert(messageId, files);
  return files;
}

void ChatMessages::forgetFiles(RecordId messageId) {
  if (AttachmentList* files = m_files.take(messageId)) files->deleteLater();
}

double ChatMessages::messageOrLast(qint64 messageId) const {
  const RecordId id = messageId != 0 ? messageId : m_chat.m_conversation.head();
  return m_chat.m_conversation.find(id) ? static_cast<double>(id) : 0.0;
}

bool ChatMessages::isAnswer(qint64 messageId) const {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  return message && message->role == MessageRole::Assistant;
}

bool ChatMessages::isComplete(qint64 messageId) const {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  return isAnswer(messageId) && message->status == MessageStatus::Complete &&
         message->error.isEmpty();
}

bool ChatMessages::canFork(qint64 messageId) const {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  return message && message->status != MessageStatus::Streaming;
}

void ChatMessages::fork(qint64 messageId) {
  if (canFork(messageId)) emit m_chat.forkWanted(messageId);
}

MessageCopy ChatMessages::copyOf(const MessageRecord& message) const {
  return {m_chat.m_timeline.blocksOf(message.id), message.text()};
}

void ChatMessages::copy(qint64 messageId) {
  if (!isAnswer(messageId)) return copyMarkdown(messageId);
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  QGuiApplication::clipboard()->setText(copyOf(*message).plain());
  setCopied(messageId);
}

void ChatMessages::copyMarkdown(qint64 messageId) {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  if (!message) return;
  QGuiApplication::clipboard()->setText(isAnswer(messageId) ? copyOf(*message).markdown()
                                                            : withoutControls(message->text()));
  setCopied(messageId);
}

void ChatMessages::copyRich(qint64 messageId) {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  if (!message) return;
  QGuiApplication::clipboard()->setMimeData(
      copyOf(*message).rich().release());  // It takes it over.
  setCopied(messageId);
}

void ChatMessages::setCopied(RecordId messageId) {
  m_copiedMessage = messageId;
  if (messageId != 0) m_copiedTimer.start();
  emit copiedChanged();
}

QString ChatMessages::copiedText() const {
  return m_copiedMessage != 0 ? tr("Copied") : QString();
}

void ChatMessages::showDetails(qint64 messageId) {
  const MessageRecord* message = m_chat.m_conversation.find(messageId);
  if (isAnswer(messageId)) m_details.show(*message);
}

void ChatMessages::remove(qint64 id) {
  if (!m_chat.turns()->canChange() || !m_chat.m_conversation.find(id)) return;
  const RecordId head = m_chat.m_conversation.head();
  const QList<MessageRecord> removed = m_chat.m_conversation.take(id);
  m_chat.announcePath();
  offerUndo(removed, head, tr("%n message(s) deleted.", nullptr, static_cast<int>(removed.size())));
}

void ChatMessages::offerUndo(const QList<MessageRecord>& removed, RecordId head,
                             const QString& text) {
  m_undo.finish();
  m_removed = removed;
  m_headBefore = head;
  m_undo.offer(
      text, [this] { restoreRemoved(); }, [this] { removeForGood(); });
}

bool ChatMessages::isDeleted(RecordId id) const {
  return std::any_of(m_removed.cbegin(), m_removed.cend(),
                     [id](const MessageRecord& message) { return message.id == id; });
}

void ChatMessages::updateDeleted(const MessageRecord& message) {
  for (MessageRecord& one : m_removed) {
    if (one.id == message.id) one = message;
  }
}

void ChatMessages::undoRemoval() {
  if (!m_chat.turns()->group()) m_undo.undo();
}

void ChatMessages::restoreRemoved() {
  Conversation& conversation = m_chat.m_conversation;
  const bool isGenerating = m_chat.turns()->isGenerating();
  const RecordId head = isGenerating ? conversation.head() : m_headBefore;
  conversation.restore(std::exchange(m_removed, {}), head);
  m_chat.announcePath();
}

void ChatMessages::removeForGood() {
  QList<RecordId> ids;
  for (const MessageRecord& message : std::exchange(m_removed, {})) ids.append(message.id);
  StoreWriter& writer = m_chat.m_services.writer;
  writer.removeMessages(m_chat.chatId(), ids);
  writer.putChat(m_chat.m_record);
}

}  // namespace quire
