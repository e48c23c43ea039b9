#include "app/chat/message_actions.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include "app/chat/chat_model.h"
#include "app/richtext/message_copy.h"

namespace quire {

MessageActions::MessageActions(ChatModel& chat) : m_chat(chat) {
  connect(&chat, &ChatModel::sendStateChanged, this, &MessageActions::changed);
}

bool MessageActions::open(qint64 messageId) {
  m_messageId = messageId != 0 ? messageId : m_chat.conversation().head();
  emit changed();
  return message() != nullptr;
}

const MessageRecord* MessageActions::message() const {
  return m_chat.conversation().find(m_messageId);
}

bool MessageActions::isAnswer() const {
  return message() && message()->role == MessageRole::Assistant;
}

bool MessageActions::canChange() const {
  return message() && m_chat.canChange();
}

bool MessageActions::canRegenerate() const {
  return message() && m_chat.canRegenerate();
}

bool MessageActions::canContinue() const {
  return m_chat.canContinue(m_messageId);
}

QString MessageActions::continueHint() const {
  if (!isAnswer() || canContinue()) return {};
  const bool isWhole = message()->status == MessageStatus::Complete && message()->error.isEmpty();
  return isWhole ? tr("complete") : QString();
}

bool MessageActions::canFork() const {
  return message() && message()->status != MessageStatus::Streaming;
}

void MessageActions::copy() const {
  if (!message()) return;
  const QString text = message()->text();
  const bool parsed = isAnswer();
  QGuiApplication::clipboard()->setText(
      parsed ? MessageCopy(m_chat.blocksOf(m_messageId), text).plain() : text);
}

void MessageActions::copyMarkdown() const {
  m_chat.copyMessage(m_messageId);
}

void MessageActions::copyRich() const {
  if (!message()) return;
  const MessageCopy copy(m_chat.blocksOf(m_messageId), message()->text());
  QGuiApplication::clipboard()->setMimeData(copy.rich().release());  // The clipboard's from now on.
}

void MessageActions::edit() {
  m_chat.edit(m_messageId);
}

void MessageActions::regenerate() {
  m_chat.regenerate(m_messageId);
}

void MessageActions::regenerateAt(double temperature) {
  m_chat.regenerateWith(m_messageId, {AnswerPlan{.temperature = temperature}});
}

void MessageActions::regenerateAs(qint64 personaId) {
  m_chat.regenerateWith(m_messageId, {AnswerPlan{.personaId = personaId}});
}

void MessageActions::regenerateSeveral(int count) {
  QList<AnswerPlan> plans;
  for (int i = 1; i <= count; ++i) plans.append({.label = tr("Answer %1").arg(i)});
  m_chat.regenerateWith(m_messageId, plans);
}

void MessageActions::continueAnswer() {
  m_chat.continueAnswer(m_messageId);
}

void MessageActions::fork() {
  m_chat.fork(m_messageId);
}

void MessageActions::remove() {
  m_chat.askRemoval(m_messageId);
}

}  // namespace quire
