// What is done with the messages of a chat: answered again, compared, continued, forked, deleted.
#include <utility>

#include "app/chat/chat_fork.h"
#include "app/chat/chat_model.h"

namespace quire {

void ChatModel::regenerate(qint64 messageId) {
  regenerateWith(messageId, {AnswerPlan()});
}

void ChatModel::regenerateWith(RecordId messageId, const QList<AnswerPlan>& plans) {
  const MessageRecord* message = m_conversation.find(messageId);
  if (!message || !canRegenerate() || plans.isEmpty()) return;
  const bool isAnswer = message->role == MessageRole::Assistant;
  const RecordId parent = isAnswer ? message->parentId : message->id;
  cancelEdit();  // The turn saves the draft, which must be the reader's own again.
  beginTurn(std::nullopt, parent, plans);
}

/// The shown branch ends at the message that is answered; the answers stand in their columns.
void ChatModel::openGroup(RecordId question, const QList<AnswerPlan>& plans) {
  m_group = new AnswerGroup(question, this);
  for (qsizetype i = 0; i < m_runs.size(); ++i) {
    m_group->add(m_runs[i]->answer(), plans[i].label, m_runs[i]);
  }
  // Not before the answers themselves are on disk.
  connect(m_runs.first(), &AnswerRun::submitted, m_group,
          [this] { m_services.writer.putComparison(m_record.id, m_group->toRecords()); });
  m_conversation.showUpTo(question);
  emit groupChanged();
}

/// As they stood when the program ended. What is left of one alone is a version like any other.
void ChatModel::reopenGroup(const QList<ComparedAnswer>& compared) {
  QList<ComparedAnswer> found = compared;
  found.removeIf([this](const ComparedAnswer& one) { return !m_conversation.find(one.messageId); });
  if (m_group || found.size() < 2) return;
  const RecordId question = m_conversation.find(found.first().messageId)->parentId;
  m_group = new AnswerGroup(question, this);
  for (const ComparedAnswer& one : std::as_const(found)) {
    m_group->add(*m_conversation.find(one.messageId), one.label);
  }
  m_conversation.showUpTo(question);
  m_timeline.syncPath();
  emit groupChanged();
}

void ChatModel::closeGroup(RecordId shown) {
  if (!m_group) return;
  m_services.writer.putComparison(m_record.id, {});
  AnswerGroup* group = std::exchange(m_group, nullptr);
  m_conversation.select(shown);
  announcePath();
  emit groupChanged();
  group->deleteLater();  // After what shows it.
}

void ChatModel::keepAllAnswers() {
  if (m_group) closeGroup(m_group->answers().first());
}

void ChatModel::keepAnswer(qint64 messageId) {
  if (!m_group || !m_group->find(messageId)) return;
  QList<MessageRecord> removed;
  for (const RecordId id : m_group->answers()) {
    if (id == messageId) continue;
    for (AnswerRun* run : std::as_const(m_runs)) {
      if (run->answer().id == id) run->stop();
    }
    removed += m_conversation.take(id);
  }
  closeGroup(messageId);
  m_bin.put(removed, messageId, true);
}

void ChatModel::forkAllAnswers() {
  if (!m_group || isGenerating()) return;
  const QList<RecordId> answers = m_group->answers();
  keepAllAnswers();
  for (const RecordId id : answers.mid(1)) emit forkWanted(id);
}

void ChatModel::fork(qint64 messageId) {
  const MessageRecord* message = m_conversation.find(messageId);
  if (message && message->status != MessageStatus::Streaming) emit forkWanted(messageId);
}

bool ChatModel::canContinue(RecordId messageId) const {
  const MessageRecord* message = m_conversation.find(messageId);
  if (!message || message->role != MessageRole::Assistant || message->text().isEmpty())
    return false;
  const bool isWhole = message->status == MessageStatus::Complete && message->error.isEmpty();
  return !isWhole && message->id == m_conversation.head() && canRegenerate();
}

RecordId ChatModel::continuable() const {
  return canContinue(m_conversation.head()) ? m_conversation.head() : 0;
}

void ChatModel::continueAnswer(qint64 messageId) {
  if (!canContinue(messageId)) return;
  cancelEdit();
  setNotice({});
  MessageRecord* message = m_conversation.find(messageId);
  const MessageRecord before = *message;
  // A character that was cut through is written anew from its bytes.
  QString text = message->text();
  while (text.endsWith(QChar::ReplacementCharacter)) text.chop(1);
  message->setText(text);
  message->status = MessageStatus::Streaming;
  message->error.clear();
  ChatRequest request = requestFor(*message, m_record.personaId);
  request.turns.append({QStringLiteral("assistant"), text, message->tokens});
  request.continueAnswer = true;
  AnswerRun* run = startRun(m_services.writer.finishAnswer(*message), request, *message);
  connect(run, &AnswerRun::refused, this, [this, run, before](const QString& sentence) {
    *m_conversation.find(before.id) = before;
    endRun(run);
    setNotice(tr("The answer could not go on, because that could not be saved. %1").arg(sentence));
    announcePath();
  });
  m_context.forget();
  m_timeline.refreshMessage(messageId);
  announceTurn();
}

void ChatModel::askRemoval(qint64 messageId) {
  if (!canChange() || !m_conversation.find(messageId)) return;
  m_removalAsked = messageId;
  emit questionChanged();
}

QString ChatModel::question() const {
  const qsizetype count = m_conversation.subtree(m_removalAsked).size();
  if (count == 0) return {};
  if (count == 1) return tr("Delete this message?");
  if (count == 2) return tr("Delete this message and the one that follows it?");
  return tr("Delete this message and the %1 that follow it, versions included?").arg(count - 1);
}

void ChatModel::dismissQuestion() {
  m_removalAsked = 0;
  emit questionChanged();
}

void ChatModel::confirmRemoval() {
  const RecordId id = std::exchange(m_removalAsked, 0);
  emit questionChanged();
  if (!canChange() || !m_conversation.find(id)) return;
  cancelEdit();
  const RecordId head = m_conversation.head();
  const QList<MessageRecord> removed = m_conversation.take(id);
  announcePath();
  m_bin.put(removed, head);
}

void ChatModel::undoRemoval() {
  if (m_bin.isEmpty() || m_group) return;
  const RecordId head = isGenerating() ? m_conversation.head() : m_bin.head();
  m_conversation.restore(m_bin.takeBack(), head);
  announcePath();
}

void ChatModel::removeForGood(const QList<RecordId>& ids) {
  m_services.writer.removeMessages(m_record.id, ids);
  m_services.writer.putChat(recordToSave());
}

}  // namespace quire
